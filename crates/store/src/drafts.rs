//! Drafts: texts that a person has not finished.
//!
//! Every statement names the user, so that another user's draft is not found.

use spindle_domain::{DraftId, UserId};

use crate::{Db, DbError, ObjectRow, WriteTx, params, sql, statement};

/// A draft as the wire has it.
macro_rules! draft_object {
    () => {
        "json_object('id', id, 'type', type, 'to', json(recipients), 'topic', topic, \
         'content', content, 'timestamp', last_edit_time)"
    };
}

/// A draft as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DraftRow<'a> {
    /// Empty, `stream` or `private`.
    pub kind: &'a str,
    /// JSON list: the id of a channel, or of people.
    pub recipients: &'a str,
    /// Empty for direct messages.
    pub topic: &'a str,
    /// Markdown.
    pub content: &'a str,
    /// UNIX seconds.
    pub last_edit_time: i64,
}

/// The drafts of a user as a JSON list, by the time of their last edit.
pub fn records(db: &dyn Db, user_id: UserId) -> Result<String, DbError> {
    db.query(
        sql!(
            "SELECT json_group_array(",
            draft_object!(),
            " ORDER BY last_edit_time, id) FROM drafts WHERE user_id = ?1"
        ),
        &params![user_id],
    )?
    .one_value()
}

/// Number of drafts of a user.
pub fn count(db: &dyn Db, user_id: UserId) -> Result<i64, DbError> {
    db.query(
        sql!("SELECT count(*) FROM drafts WHERE user_id = ?1"),
        &params![user_id],
    )?
    .one_value()
}

/// Stores a draft; returns its id and its object as JSON.
pub fn insert(
    tx: &WriteTx<'_>,
    user_id: UserId,
    draft: &DraftRow<'_>,
) -> Result<ObjectRow<DraftId>, DbError> {
    tx.execute(
        statement!(
            "INSERT INTO drafts (user_id, type, recipients, topic, content, last_edit_time) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6) RETURNING id, ",
            draft_object!(),
            " AS object"
        ),
        &params![
            user_id,
            draft.kind,
            draft.recipients,
            draft.topic,
            draft.content,
            draft.last_edit_time
        ],
    )?
    .one()
}

/// Replaces a draft; returns its object as JSON, or none when the user
/// has no such draft.
pub fn replace(
    tx: &WriteTx<'_>,
    user_id: UserId,
    draft_id: DraftId,
    draft: &DraftRow<'_>,
) -> Result<Option<String>, DbError> {
    tx.execute(
        statement!(
            "UPDATE drafts SET type = ?3, recipients = ?4, topic = ?5, content = ?6, \
             last_edit_time = ?7 WHERE id = ?2 AND user_id = ?1 RETURNING ",
            draft_object!()
        ),
        &params![
            user_id,
            draft_id,
            draft.kind,
            draft.recipients,
            draft.topic,
            draft.content,
            draft.last_edit_time
        ],
    )?
    .value()
}

/// Deletes a draft; false when the user has no such draft.
pub fn delete(tx: &WriteTx<'_>, user_id: UserId, draft_id: DraftId) -> Result<bool, DbError> {
    let rows = tx.execute(
        statement!("DELETE FROM drafts WHERE id = ?2 AND user_id = ?1 RETURNING 1"),
        &params![user_id, draft_id],
    )?;
    Ok(!rows.rows.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, TestDatabase};

    #[test]
    fn drafts_belong_to_one_user() {
        let database = TestDatabase::with_realm();
        let tx = database.tx();
        let ann = testing::user(&tx, "ann@x.org");
        let bob = testing::user(&tx, "bob@x.org");
        let mut draft = DraftRow {
            kind: "stream",
            recipients: "[5]",
            topic: "t",
            content: "c",
            last_edit_time: 7,
        };
        let ObjectRow { id, object } = insert(&tx, ann, &draft).unwrap();
        assert_eq!(records(&tx, ann).unwrap(), format!("[{object}]"));
        assert_eq!((count(&tx, ann), count(&tx, bob)), (Ok(1), Ok(0)));
        draft.content = "d";
        assert_eq!(replace(&tx, bob, id, &draft), Ok(None));
        let changed = replace(&tx, ann, id, &draft).unwrap().unwrap();
        let expected = format!(
            r#"{{"id":{id},"type":"stream","to":[5],"topic":"t","content":"d","timestamp":7}}"#
        );
        assert_eq!(changed, expected);
        assert_eq!(delete(&tx, bob, id), Ok(false));
        assert_eq!(delete(&tx, ann, id), Ok(true));
    }
}
