//! Links with which a person signs in once.
//!
//! Only hashes of tokens are stored. Whether a link is still good is decided by the caller; taking one
//! removes it, so that of two who try at the same moment one finds nothing.

use crate::{DbError, WriteTx, params};

/// Stores a link, in place of earlier ones of the account.
///
/// # Errors
/// [`DbError`] when a statement fails.
pub fn replace(tx: &WriteTx<'_>, user_id: i64, hash: &[u8], now: i64) -> Result<(), DbError> {
    delete_of_user(tx, user_id)?;
    tx.execute(
        "INSERT INTO sign_in_links (hash, user_id, created) VALUES (?1, ?2, ?3)",
        &params![hash, user_id, now],
    )?;
    Ok(())
}

/// Uses a link up: its account, and when it was made (UNIX seconds).
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn take(tx: &WriteTx<'_>, hash: &[u8]) -> Result<Option<(i64, i64)>, DbError> {
    tx.execute(
        "DELETE FROM sign_in_links WHERE hash = ?1 RETURNING user_id, created",
        &params![hash],
    )?
    .read_first(|row| Ok((row.integer()?, row.integer()?)))
}

/// Makes the links of an account useless.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn delete_of_user(tx: &WriteTx<'_>, user_id: i64) -> Result<(), DbError> {
    tx.execute(
        "DELETE FROM sign_in_links WHERE user_id = ?1",
        &params![user_id],
    )?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, TestDatabase};

    #[test]
    fn a_link_is_taken_once_and_the_newest_counts() {
        let database = TestDatabase::with_realm();
        let tx = database.tx();
        let (ann, bob) = (
            testing::add_user(&tx, "ann@x.org"),
            testing::add_user(&tx, "bob@x.org"),
        );
        replace(&tx, ann, &[1; 32], 5).unwrap();
        replace(&tx, ann, &[2; 32], 6).unwrap();
        replace(&tx, bob, &[3; 32], 7).unwrap();
        assert_eq!(take(&tx, &[1; 32]), Ok(None));
        assert_eq!(take(&tx, &[2; 32]), Ok(Some((ann, 6))));
        assert_eq!(take(&tx, &[2; 32]), Ok(None));
        delete_of_user(&tx, bob).unwrap();
        assert_eq!(take(&tx, &[3; 32]), Ok(None));
    }
}
