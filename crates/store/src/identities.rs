//! Which people of identity providers sign in to which accounts.
//!
//! An account has at most one person of each issuer, and a person at most one account.

use spindle_domain::{IdentityId, UserId};

use crate::{Db, DbError, WriteTx, params, row_struct, sql, statement};

row_struct! {
    /// The connection of an account with a person of a provider.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct IdentityRow {
        pub id: IdentityId,
        pub issuer: String,
        /// Id of the provider by which the person signed in last.
        pub provider: String,
        /// UNIX seconds.
        pub created: i64,
        /// UNIX seconds.
        pub last_used: i64,
    }
}

row_struct! {
    /// Which account a person has.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct BoundRow {
        pub id: IdentityId,
        pub user_id: UserId,
    }
}

/// The account of a person.
pub fn find(db: &dyn Db, issuer: &str, subject: &str) -> Result<Option<BoundRow>, DbError> {
    db.query(
        sql!("SELECT id, user_id FROM identities WHERE issuer = ?1 AND subject = ?2"),
        &params![issuer, subject],
    )?
    .first()
}

/// The people that an account belongs to, by id.
pub fn list(db: &dyn Db, user_id: UserId) -> Result<Vec<IdentityRow>, DbError> {
    db.query(
        sql!(
            "SELECT id, issuer, provider, created, last_used FROM identities \
             WHERE user_id = ?1 ORDER BY id"
        ),
        &params![user_id],
    )?
    .all()
}

/// Connects an account with a person.
///
/// # Errors
/// [`DbError::NotUnique`] when either of them is connected already.
pub fn insert(
    tx: &WriteTx<'_>,
    user_id: UserId,
    (issuer, subject): (&str, &str),
    provider: &str,
    now: i64,
) -> Result<IdentityId, DbError> {
    tx.execute(
        statement!(
            "INSERT INTO identities (issuer, subject, user_id, provider, created, last_used) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?5) RETURNING id"
        ),
        &params![issuer, subject, user_id, provider, now],
    )?
    .one_value()
}

/// Notes that a person signs in by a provider.
pub fn note_use(tx: &WriteTx<'_>, id: IdentityId, provider: &str, now: i64) -> Result<(), DbError> {
    tx.execute(
        statement!("UPDATE identities SET provider = ?2, last_used = ?3 WHERE id = ?1"),
        &params![id, provider, now],
    )?;
    Ok(())
}

/// Ends a connection of an account; false when it has none with this id.
pub fn delete(tx: &WriteTx<'_>, user_id: UserId, id: IdentityId) -> Result<bool, DbError> {
    let rows = tx.execute(
        statement!("DELETE FROM identities WHERE id = ?2 AND user_id = ?1 RETURNING 1"),
        &params![user_id, id],
    )?;
    Ok(!rows.rows.is_empty())
}

/// Ends all connections of an account.
pub fn delete_of_user(tx: &WriteTx<'_>, user_id: UserId) -> Result<(), DbError> {
    tx.execute(
        statement!("DELETE FROM identities WHERE user_id = ?1"),
        &params![user_id],
    )?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, TestDatabase};

    #[test]
    fn a_person_has_one_account_and_an_account_one_person_of_an_issuer() {
        let database = TestDatabase::with_realm();
        let tx = database.tx();
        let (ann, bob) = (
            testing::user(&tx, "ann@x.org"),
            testing::user(&tx, "bob@x.org"),
        );
        let id = insert(&tx, ann, ("https://a", "1"), "a", 5).unwrap();
        let bound = find(&tx, "https://a", "1").unwrap().unwrap();
        assert_eq!((bound.id, bound.user_id), (id, ann));
        assert_eq!(find(&tx, "https://a", "2"), Ok(None));
        insert(&tx, ann, ("https://b", "1"), "b", 6).unwrap();
        note_use(&tx, id, "c", 9).unwrap();
        let listed = list(&tx, ann).unwrap();
        let shown: Vec<_> = listed
            .iter()
            .map(|row| {
                (
                    row.issuer.as_str(),
                    row.provider.as_str(),
                    row.created,
                    row.last_used,
                )
            })
            .collect();
        assert_eq!(shown, [("https://a", "c", 5, 9), ("https://b", "b", 6, 6)]);
        assert_eq!(delete(&tx, bob, id), Ok(false));
        assert_eq!(delete(&tx, ann, id), Ok(true));
        delete_of_user(&tx, ann).unwrap();
        assert_eq!(list(&tx, ann), Ok(Vec::new()));
    }

    #[test]
    fn neither_is_connected_twice() {
        for (user, subject) in [("bob@x.org", "1"), ("ann@x.org", "2")] {
            let database = TestDatabase::with_realm();
            let tx = database.tx();
            let ann = testing::user(&tx, "ann@x.org");
            let user = match user {
                "ann@x.org" => ann,
                other => testing::user(&tx, other),
            };
            insert(&tx, ann, ("https://a", "1"), "a", 5).unwrap();
            let again = insert(&tx, user, ("https://a", subject), "a", 5);
            assert!(matches!(again, Err(DbError::NotUnique(_))), "{again:?}");
        }
    }
}
