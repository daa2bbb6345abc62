//! Snippets of text that users have saved for themselves.
//!
//! Every statement names the user, so that another user's snippet is not found.

use spindle_domain::{SavedSnippetId, UserId};

use crate::{Db, DbError, ObjectRow, WriteTx, params, sql, statement};

/// A snippet as the wire has it.
macro_rules! snippet_object {
    () => {
        "json_object('id', id, 'title', title, 'content', content, 'date_created', date_created)"
    };
}

/// The snippets of a user as a JSON list, oldest first.
pub fn records(db: &dyn Db, user_id: UserId) -> Result<String, DbError> {
    db.query(
        sql!(
            "SELECT json_group_array(",
            snippet_object!(),
            " ORDER BY id) FROM saved_snippets WHERE user_id = ?1"
        ),
        &params![user_id],
    )?
    .one_value()
}

/// Stores a new snippet and returns it.
pub fn insert(
    tx: &WriteTx<'_>,
    user_id: UserId,
    title: &str,
    content: &str,
    now: i64,
) -> Result<ObjectRow<SavedSnippetId>, DbError> {
    tx.execute(
        statement!(
            "INSERT INTO saved_snippets (user_id, title, content, date_created) \
             VALUES (?1, ?2, ?3, ?4) RETURNING id, ",
            snippet_object!(),
            " AS object"
        ),
        &params![user_id, title, content, now],
    )?
    .one()
}

/// Changes the given values; returns the object as JSON, or none when the user has no such snippet.
pub fn update(
    tx: &WriteTx<'_>,
    user_id: UserId,
    snippet_id: SavedSnippetId,
    title: Option<&str>,
    content: Option<&str>,
) -> Result<Option<String>, DbError> {
    tx.execute(
        statement!(
            "UPDATE saved_snippets SET title = coalesce(?3, title), content = coalesce(?4, content) \
             WHERE id = ?2 AND user_id = ?1 RETURNING ",
            snippet_object!()
        ),
        &params![user_id, snippet_id, title, content],
    )?
    .value()
}

/// Deletes a snippet; false when the user has no such snippet.
pub fn delete(
    tx: &WriteTx<'_>,
    user_id: UserId,
    snippet_id: SavedSnippetId,
) -> Result<bool, DbError> {
    let rows = tx.execute(
        statement!("DELETE FROM saved_snippets WHERE id = ?2 AND user_id = ?1 RETURNING 1"),
        &params![user_id, snippet_id],
    )?;
    Ok(!rows.rows.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, TestDatabase};

    #[test]
    fn snippets_belong_to_one_user() {
        let database = TestDatabase::with_realm();
        let tx = database.tx();
        let ann = testing::user(&tx, "ann@x.org");
        let bob = testing::user(&tx, "bob@x.org");
        let ObjectRow { id, object } = insert(&tx, ann, "T", "C", 7).unwrap();
        assert_eq!(records(&tx, ann).unwrap(), format!("[{object}]"));
        assert_eq!(records(&tx, bob).unwrap(), "[]");
        assert_eq!(update(&tx, bob, id, Some("x"), None), Ok(None));
        assert_eq!(delete(&tx, bob, id), Ok(false));
        let changed = update(&tx, ann, id, None, Some("D")).unwrap().unwrap();
        let expected = format!(r#"{{"id":{id},"title":"T","content":"D","date_created":7}}"#);
        assert_eq!(changed, expected);
        assert_eq!(delete(&tx, ann, id), Ok(true));
        assert_eq!(delete(&tx, ann, id), Ok(false));
    }
}
