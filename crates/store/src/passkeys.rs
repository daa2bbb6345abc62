//! Passkeys of people. What a credential is worth is decided by the caller; a challenge is used up by the statement that
//! finds it newer than the last one.

use spindle_domain::{PasskeyId, UserId};

use crate::{Db, DbError, WriteTx, params, row_struct, sql, statement};

row_struct! {
    /// A passkey as its owner sees it.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct PasskeyRow {
        pub id: PasskeyId,
        pub credential_id: Vec<u8>,
        pub user_handle: Vec<u8>,
        /// The host for which it was made.
        pub rp_id: String,
        pub name: String,
        /// UNIX seconds.
        pub created: i64,
        /// UNIX seconds.
        pub last_used: Option<i64>,
    }
}

row_struct! {
    /// A passkey as it is checked.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct StoredPasskey {
        pub id: PasskeyId,
        pub user_id: UserId,
        pub user_handle: Vec<u8>,
        pub credential: String,
        pub rp_id: String,
    }
}

/// A passkey that is to be stored.
#[derive(Debug, Clone, Copy)]
pub struct NewPasskey<'a> {
    pub credential_id: &'a [u8],
    pub user_handle: &'a [u8],
    pub credential: &'a str,
    pub rp_id: &'a str,
    pub name: &'a str,
}

/// The passkeys of a person, the oldest first.
pub fn list(db: &dyn Db, user_id: UserId) -> Result<Vec<PasskeyRow>, DbError> {
    db.query(
        sql!(
            "SELECT id, credential_id, user_handle, rp_id, name, created, last_used FROM passkeys \
             WHERE user_id = ?1 ORDER BY id"
        ),
        &params![user_id],
    )?
    .all()
}

/// The passkey with the id that a device gave it.
pub fn find(db: &dyn Db, credential_id: &[u8]) -> Result<Option<StoredPasskey>, DbError> {
    db.query(
        sql!(
            "SELECT id, user_id, user_handle, credential, rp_id FROM passkeys \
             WHERE credential_id = ?1"
        ),
        &params![credential_id],
    )?
    .first()
}

/// Stores a passkey of a person.
///
/// # Errors
/// [`DbError::NotUnique`] when a passkey has this credential id already, of anyone.
pub fn insert(
    tx: &WriteTx<'_>,
    user_id: UserId,
    now: i64,
    new: NewPasskey<'_>,
) -> Result<PasskeyId, DbError> {
    tx.execute(
        statement!(
            "INSERT INTO passkeys (user_id, credential_id, user_handle, credential, rp_id, name, created) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) RETURNING id"
        ),
        &params![
            user_id,
            new.credential_id,
            new.user_handle,
            new.credential,
            new.rp_id,
            new.name,
            now
        ],
    )?
    .one_value()
}

/// Uses the challenge up that was made at `challenge` (UNIX seconds), and stores what has changed about the credential.
/// False when this challenge or a later one was used before, and for a passkey that is gone.
pub fn note_use(
    tx: &WriteTx<'_>,
    id: PasskeyId,
    challenge: i64,
    credential: &str,
    now: i64,
) -> Result<bool, DbError> {
    let rows = tx.execute(
        statement!(
            "UPDATE passkeys SET last_challenge = ?2, credential = ?3, last_used = ?4 \
             WHERE id = ?1 AND last_challenge < ?2 RETURNING 1"
        ),
        &params![id, challenge, credential, now],
    )?;
    Ok(!rows.rows.is_empty())
}

/// Deletes a passkey of a person and returns its name.
pub fn delete(tx: &WriteTx<'_>, user_id: UserId, id: PasskeyId) -> Result<Option<String>, DbError> {
    tx.execute(
        statement!("DELETE FROM passkeys WHERE user_id = ?1 AND id = ?2 RETURNING name"),
        &params![user_id, id],
    )?
    .value()
}

/// Deletes all passkeys of a person.
pub fn delete_all(tx: &WriteTx<'_>, user_id: UserId) -> Result<(), DbError> {
    tx.execute(
        statement!("DELETE FROM passkeys WHERE user_id = ?1"),
        &params![user_id],
    )?;
    Ok(())
}

row_struct! {
    /// How many passkeys there are for a host.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct PasskeysOfHost {
        pub rp_id: String,
        pub passkeys: i64,
    }
}

/// How many passkeys there are, by the host for which they were made.
pub fn count_by_host(db: &dyn Db) -> Result<Vec<PasskeysOfHost>, DbError> {
    db.query(
        sql!("SELECT rp_id, count(*) AS passkeys FROM passkeys GROUP BY rp_id ORDER BY rp_id"),
        &[],
    )?
    .all()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, TestDatabase};

    fn new<'a>(credential_id: &'a [u8], rp_id: &'a str) -> NewPasskey<'a> {
        NewPasskey {
            credential_id,
            user_handle: &[7; 16],
            credential: "{}",
            rp_id,
            name: "laptop",
        }
    }

    #[test]
    fn a_challenge_is_used_once_and_none_before_it() {
        let database = TestDatabase::with_realm();
        let tx = database.tx();
        let ann = testing::user(&tx, "ann@x.org");
        let id = insert(&tx, ann, 5, new(&[1], "x.org")).unwrap();
        assert_eq!(note_use(&tx, id, 10, "{\"n\":1}", 12), Ok(true));
        assert_eq!(note_use(&tx, id, 10, "{}", 13), Ok(false));
        assert_eq!(note_use(&tx, id, 9, "{}", 13), Ok(false));
        assert_eq!(note_use(&tx, id, 11, "{\"n\":2}", 14), Ok(true));
        let stored = find(&tx, &[1]).unwrap().unwrap();
        assert_eq!(
            (stored.user_id, stored.credential.as_str()),
            (ann, "{\"n\":2}")
        );
        assert_eq!(list(&tx, ann).unwrap()[0].last_used, Some(14));
    }

    #[test]
    fn a_credential_has_one_owner() {
        let database = TestDatabase::with_realm();
        let tx = database.tx();
        let [ann, ben] = ["ann@x.org", "ben@x.org"].map(|email| testing::user(&tx, email));
        let id = insert(&tx, ann, 5, new(&[1], "x.org")).unwrap();
        insert(&tx, ann, 5, new(&[2], "y.org")).unwrap();
        let of_hosts = count_by_host(&tx).unwrap().into_iter();
        let of_hosts: Vec<_> = of_hosts.map(|row| (row.rp_id, row.passkeys)).collect();
        assert_eq!(of_hosts, [("x.org".to_owned(), 1), ("y.org".to_owned(), 1)]);
        assert_eq!(delete(&tx, ben, id), Ok(None));
        assert_eq!(delete(&tx, ann, id), Ok(Some("laptop".to_owned())));
        assert_eq!(find(&tx, &[1]), Ok(None));
        delete_all(&tx, ann).unwrap();
        assert_eq!(list(&tx, ann), Ok(Vec::new()));
        insert(&tx, ann, 6, new(&[1], "x.org")).unwrap();
        assert!(matches!(
            insert(&tx, ben, 7, new(&[1], "x.org")),
            Err(DbError::NotUnique(_))
        ));
    }
}
