//! Addresses that people want for their accounts and have not confirmed yet, one for each account.
//!
//! Whether a row is still valid is decided by the caller. Taking one deletes it, so the second of two concurrent requests
//! finds nothing.

use spindle_domain::UserId;

use crate::{Db, DbError, WriteTx, params, row_struct, sql, statement};

/// Bytes of a nonce.
pub const NONCE_LENGTH: usize = 16;

row_struct! {
    /// An address that is to be confirmed.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct AddressChange {
        pub user_id: UserId,
        pub nonce: Vec<u8>,
        pub address: String,
        /// UNIX seconds.
        pub created: i64,
    }
}

/// Stores an address, in place of an earlier one of the account.
pub fn replace(
    tx: &WriteTx<'_>,
    user_id: UserId,
    nonce: &[u8; NONCE_LENGTH],
    address: &str,
    now: i64,
) -> Result<(), DbError> {
    delete_of_user(tx, user_id)?;
    tx.execute(
        statement!(
            "INSERT INTO address_changes (user_id, nonce, address, created) VALUES (?1, ?2, ?3, ?4)"
        ),
        &params![user_id, nonce.as_slice(), address, now],
    )?;
    Ok(())
}

/// The address of an account.
pub fn of_user(db: &dyn Db, user_id: UserId) -> Result<Option<AddressChange>, DbError> {
    db.query(
        sql!("SELECT user_id, nonce, address, created FROM address_changes WHERE user_id = ?1"),
        &params![user_id],
    )?
    .first()
}

/// The address with a nonce.
pub fn by_nonce(db: &dyn Db, nonce: &[u8]) -> Result<Option<AddressChange>, DbError> {
    db.query(
        sql!("SELECT user_id, nonce, address, created FROM address_changes WHERE nonce = ?1"),
        &params![nonce],
    )?
    .first()
}

/// Deletes the address of an account; returns whether there was one.
pub fn delete_of_user(tx: &WriteTx<'_>, user_id: UserId) -> Result<bool, DbError> {
    let gone = tx.execute(
        statement!("DELETE FROM address_changes WHERE user_id = ?1 RETURNING 1"),
        &params![user_id],
    )?;
    Ok(!gone.rows.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, TestDatabase};

    #[test]
    fn the_newest_address_of_an_account_counts() {
        let database = TestDatabase::with_realm();
        let tx = database.tx();
        let ann = testing::user(&tx, "ann@x.org");
        replace(&tx, ann, &[1; 16], "ann@y.org", 5).unwrap();
        replace(&tx, ann, &[2; 16], "ann@z.org", 6).unwrap();
        assert_eq!(by_nonce(&tx, &[1; 16]), Ok(None));
        let found = by_nonce(&tx, &[2; 16]).unwrap().unwrap();
        assert_eq!((found.user_id, found.address.as_str()), (ann, "ann@z.org"));
        assert_eq!(of_user(&tx, ann), Ok(Some(found)));
        assert_eq!(delete_of_user(&tx, ann), Ok(true));
        assert_eq!(delete_of_user(&tx, ann), Ok(false));
    }
}
