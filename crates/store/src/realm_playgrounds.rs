//! Playgrounds: places outside that open the code of a message.
//!
//! Owns the rows of `realm_playgrounds`.

use crate::{Db, DbError, WriteTx, params, sql};

/// A playground that is about to be stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewPlayground<'a> {
    /// What people choose it by.
    pub name: &'a str,
    /// Language of the code blocks that it opens.
    pub pygments_language: &'a str,
    /// URL template of RFC 6570 with the variable `code`.
    pub url_template: &'a str,
}

/// The records of the wire as a JSON array, by id.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn records(db: &dyn Db, realm_id: i64) -> Result<String, DbError> {
    db.query(
        sql!(
            "SELECT json_group_array(json_object('id', id, 'name', name, \
             'pygments_language', pygments_language, 'url_template', url_template) ORDER BY id) \
         FROM realm_playgrounds WHERE realm_id = ?1"
        ),
        &params![realm_id],
    )?
    .read_one(|row| row.text())
}

/// Number of playgrounds.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn count(db: &dyn Db, realm_id: i64) -> Result<i64, DbError> {
    db.query(
        sql!("SELECT count(*) FROM realm_playgrounds WHERE realm_id = ?1"),
        &params![realm_id],
    )?
    .read_one(|row| row.integer())
}

/// Adds a playground; returns its id.
///
/// # Errors
/// [`DbError::NotUnique`] when there is one of this name for this language.
pub fn insert(tx: &WriteTx<'_>, realm_id: i64, new: &NewPlayground<'_>) -> Result<i64, DbError> {
    tx.execute(
        "INSERT INTO realm_playgrounds (realm_id, name, pygments_language, url_template) \
         VALUES (?1, ?2, ?3, ?4) RETURNING id",
        &params![realm_id, new.name, new.pygments_language, new.url_template],
    )?
    .read_one(|row| row.integer())
}

/// Removes a playground; returns whether there was one.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn delete(tx: &WriteTx<'_>, realm_id: i64, id: i64) -> Result<bool, DbError> {
    let found = tx
        .execute(
            "DELETE FROM realm_playgrounds WHERE realm_id = ?1 AND id = ?2 RETURNING id",
            &params![realm_id, id],
        )?
        .read_first(|row| row.integer())?;
    Ok(found.is_some())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::TestDatabase;

    #[test]
    fn one_of_a_name_for_each_language() {
        let database = TestDatabase::with_realm();
        let tx = database.tx();
        let new = |name, pygments_language| NewPlayground {
            name,
            pygments_language,
            url_template: "https://x.example/?{code}",
        };
        let id = insert(&tx, 1, &new("Play", "Rust")).unwrap();
        let again = insert(&tx, 1, &new("Play", "Rust"));
        assert!(matches!(again, Err(DbError::NotUnique(_))));
        insert(&tx, 1, &new("Play", "Go")).unwrap();
        insert(&tx, 1, &new("Other", "Rust")).unwrap();
        assert_eq!(count(&tx, 1), Ok(3));
        assert_eq!(delete(&tx, 2, id), Ok(false));
        assert_eq!(delete(&tx, 1, id), Ok(true));
        assert_eq!(delete(&tx, 1, id), Ok(false));
        let text = records(&tx, 1).unwrap();
        assert!(text.contains(r#""name":"Play","pygments_language":"Go","url_template":"#));
    }
}
