//! Playgrounds: websites that open the code of a message.
//!
//! Owns the rows of `realm_playgrounds`.

use spindle_domain::{PlaygroundId, RealmId};

use crate::{Db, DbError, WriteTx, params, sql, statement};

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

/// The playgrounds of organization `?1`.
macro_rules! realm_playgrounds_query {
    () => {
        "SELECT json_group_array(json_object('id', id, 'name', name, \
             'pygments_language', pygments_language, 'url_template', url_template) ORDER BY id) \
         FROM realm_playgrounds WHERE realm_id = ?1"
    };
}
pub(crate) use realm_playgrounds_query;

/// The records of the wire as a JSON array, by id.
pub fn records(db: &dyn Db, realm_id: RealmId) -> Result<String, DbError> {
    db.query(sql!(realm_playgrounds_query!()), &params![realm_id])?
        .one_value()
}

/// Number of playgrounds.
pub fn count(db: &dyn Db, realm_id: RealmId) -> Result<i64, DbError> {
    db.query(
        sql!("SELECT count(*) FROM realm_playgrounds WHERE realm_id = ?1"),
        &params![realm_id],
    )?
    .one_value()
}

/// Adds a playground; returns its id.
///
/// # Errors
/// [`DbError::NotUnique`] when there is one of this name for this language.
pub fn insert(
    tx: &WriteTx<'_>,
    realm_id: RealmId,
    new: &NewPlayground<'_>,
) -> Result<PlaygroundId, DbError> {
    tx.execute(
        statement!(
            "INSERT INTO realm_playgrounds (realm_id, name, pygments_language, url_template) \
         VALUES (?1, ?2, ?3, ?4) RETURNING id"
        ),
        &params![realm_id, new.name, new.pygments_language, new.url_template],
    )?
    .one_value()
}

/// Removes a playground; returns whether there was one.
pub fn delete(tx: &WriteTx<'_>, realm_id: RealmId, id: PlaygroundId) -> Result<bool, DbError> {
    let rows = tx.execute(
        statement!("DELETE FROM realm_playgrounds WHERE realm_id = ?1 AND id = ?2 RETURNING id"),
        &params![realm_id, id],
    )?;
    Ok(!rows.rows.is_empty())
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
        let id = insert(&tx, RealmId::ONLY, &new("Play", "Rust")).unwrap();
        let again = insert(&tx, RealmId::ONLY, &new("Play", "Rust"));
        assert!(matches!(again, Err(DbError::NotUnique(_))));
        insert(&tx, RealmId::ONLY, &new("Play", "Go")).unwrap();
        insert(&tx, RealmId::ONLY, &new("Other", "Rust")).unwrap();
        assert_eq!(count(&tx, RealmId::ONLY), Ok(3));
        assert_eq!(delete(&tx, RealmId(2), id), Ok(false));
        assert_eq!(delete(&tx, RealmId::ONLY, id), Ok(true));
        assert_eq!(delete(&tx, RealmId::ONLY, id), Ok(false));
        let text = records(&tx, RealmId::ONLY).unwrap();
        assert!(text.contains(r#""name":"Play","pygments_language":"Go","url_template":"#));
    }
}
