//! Links with which a person signs in, each valid for one use.
//!
//! Only hashes of tokens are stored. Whether a link is still valid is decided by the caller. Taking one deletes it, so
//! the second of two concurrent requests finds nothing.

use spindle_domain::UserId;

use crate::{DbError, WriteTx, params, row_struct, statement};

/// Stores a link, in place of earlier ones of the account.
pub fn replace(tx: &WriteTx<'_>, user_id: UserId, hash: &[u8], now: i64) -> Result<(), DbError> {
    delete_of_user(tx, user_id)?;
    tx.execute(
        statement!("INSERT INTO sign_in_links (hash, user_id, created) VALUES (?1, ?2, ?3)"),
        &params![hash, user_id, now],
    )?;
    Ok(())
}

row_struct! {
    /// A link that was used.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct SignInLink {
        /// Its account.
        pub user_id: UserId,
        /// UNIX seconds.
        pub created: i64,
    }
}

/// Deletes a link and returns it.
pub fn take(tx: &WriteTx<'_>, hash: &[u8]) -> Result<Option<SignInLink>, DbError> {
    tx.execute(
        statement!("DELETE FROM sign_in_links WHERE hash = ?1 RETURNING user_id, created"),
        &params![hash],
    )?
    .first()
}

/// Deletes the links of an account.
pub fn delete_of_user(tx: &WriteTx<'_>, user_id: UserId) -> Result<(), DbError> {
    tx.execute(
        statement!("DELETE FROM sign_in_links WHERE user_id = ?1"),
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
            testing::user(&tx, "ann@x.org"),
            testing::user(&tx, "bob@x.org"),
        );
        replace(&tx, ann, &[1; 32], 5).unwrap();
        replace(&tx, ann, &[2; 32], 6).unwrap();
        replace(&tx, bob, &[3; 32], 7).unwrap();
        assert_eq!(take(&tx, &[1; 32]), Ok(None));
        let link = SignInLink {
            user_id: ann,
            created: 6,
        };
        assert_eq!(take(&tx, &[2; 32]), Ok(Some(link)));
        assert_eq!(take(&tx, &[2; 32]), Ok(None));
        delete_of_user(&tx, bob).unwrap();
        assert_eq!(take(&tx, &[3; 32]), Ok(None));
    }
}
