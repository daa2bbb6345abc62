//! Links with which a person signs in or sets a new password, each valid for one use.
//!
//! Only hashes of tokens are stored. Whether a link is still valid is decided by the caller. Taking one deletes it, so
//! the second of two concurrent requests finds nothing.

use spindle_domain::UserId;

use crate::{Db, DbError, WriteTx, params, row_struct, sql, statement};

/// Stores a link that only signs in, in place of earlier ones of the account.
pub fn replace(tx: &WriteTx<'_>, user_id: UserId, hash: &[u8], now: i64) -> Result<(), DbError> {
    delete_of_user(tx, user_id)?;
    tx.execute(
        statement!("INSERT INTO sign_in_links (hash, user_id, created) VALUES (?1, ?2, ?3)"),
        &params![hash, user_id, now],
    )?;
    Ok(())
}

/// Stores a link that sets a new password before `until` (UNIX seconds), in place of earlier ones of the account.
/// `made_by` is none for the operator.
pub fn replace_with_password_link(
    tx: &WriteTx<'_>,
    user_id: UserId,
    hash: &[u8],
    now: i64,
    until: i64,
    made_by: Option<UserId>,
) -> Result<(), DbError> {
    delete_of_user(tx, user_id)?;
    tx.execute(
        statement!(
            "INSERT INTO sign_in_links (hash, user_id, created, sets_password_until, made_by) \
             VALUES (?1, ?2, ?3, ?4, ?5)"
        ),
        &params![hash, user_id, now, until, made_by],
    )?;
    Ok(())
}

/// Stores a link that sets a new password before `until` (UNIX seconds), which the person asked for. Links that others
/// made stay, since anyone may ask; earlier ones of this kind go when they have ended.
pub fn insert_own(
    tx: &WriteTx<'_>,
    user_id: UserId,
    hash: &[u8],
    now: i64,
    until: i64,
) -> Result<(), DbError> {
    tx.execute(
        statement!(
            "DELETE FROM sign_in_links WHERE user_id = ?1 AND made_by = ?1 AND sets_password_until <= ?2"
        ),
        &params![user_id, now],
    )?;
    tx.execute(
        statement!(
            "INSERT INTO sign_in_links (hash, user_id, created, sets_password_until, made_by) \
             VALUES (?1, ?2, ?3, ?4, ?2)"
        ),
        &params![hash, user_id, now, until],
    )?;
    Ok(())
}

/// Stores a link that only signs in, after the person has proved who they are: here, or to an identity provider. Links of
/// others stay; older ones that were proved in the same way go.
pub fn insert_proven(
    tx: &WriteTx<'_>,
    user_id: UserId,
    hash: &[u8],
    now: i64,
    provider: Option<&str>,
    proves_second_factor: bool,
) -> Result<(), DbError> {
    tx.execute(
        statement!(
            "DELETE FROM sign_in_links WHERE user_id = ?1 AND (made_by = ?1 OR provider IS NOT NULL) \
             AND provider IS NOT DISTINCT FROM ?2 AND sets_password_until IS NULL"
        ),
        &params![user_id, provider],
    )?;
    tx.execute(
        statement!(
            "INSERT INTO sign_in_links (hash, user_id, created, made_by, provider, proves_second_factor) \
             VALUES (?1, ?2, ?3, ?2, ?4, ?5)"
        ),
        &params![hash, user_id, now, provider, proves_second_factor],
    )?;
    Ok(())
}

/// Deletes the links that a person has asked for.
pub fn delete_own(tx: &WriteTx<'_>, user_id: UserId) -> Result<(), DbError> {
    tx.execute(
        statement!("DELETE FROM sign_in_links WHERE user_id = ?1 AND made_by = ?1"),
        &params![user_id],
    )?;
    Ok(())
}

row_struct! {
    /// A link that signs in.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct SignInLink {
        /// Its account.
        pub user_id: UserId,
        /// UNIX seconds.
        pub created: i64,
        /// Id of the identity provider that has identified the person, if one has.
        pub provider: Option<String>,
        /// Whether another service has checked a second factor before it was made.
        pub proves_second_factor: bool,
    }
}

row_struct! {
    /// A link that sets a new password.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct PasswordLink {
        /// Its account.
        pub user_id: UserId,
        /// UNIX seconds.
        pub until: i64,
        /// None: the operator. The account itself: the person, to whom it was mailed.
        pub made_by: Option<UserId>,
    }
}

/// Finds a link that signs in.
pub fn find(db: &dyn Db, hash: &[u8]) -> Result<Option<SignInLink>, DbError> {
    db.query(
        sql!(
            "SELECT user_id, created, provider, proves_second_factor FROM sign_in_links \
             WHERE hash = ?1 AND sets_password_until IS NULL"
        ),
        &params![hash],
    )?
    .first()
}

/// Deletes a link that signs in and returns it.
pub fn take(tx: &WriteTx<'_>, hash: &[u8]) -> Result<Option<SignInLink>, DbError> {
    tx.execute(
        statement!(
            "DELETE FROM sign_in_links WHERE hash = ?1 AND sets_password_until IS NULL \
             RETURNING user_id, created, provider, proves_second_factor"
        ),
        &params![hash],
    )?
    .first()
}

/// Finds a link that sets a new password.
pub fn password_link(db: &dyn Db, hash: &[u8]) -> Result<Option<PasswordLink>, DbError> {
    db.query(
        sql!(
            "SELECT user_id, sets_password_until AS until, made_by FROM sign_in_links \
             WHERE hash = ?1 AND sets_password_until IS NOT NULL"
        ),
        &params![hash],
    )?
    .first()
}

/// Deletes a link that sets a new password and returns it.
pub fn take_password_link(tx: &WriteTx<'_>, hash: &[u8]) -> Result<Option<PasswordLink>, DbError> {
    tx.execute(
        statement!(
            "DELETE FROM sign_in_links WHERE hash = ?1 AND sets_password_until IS NOT NULL \
             RETURNING user_id, sets_password_until AS until, made_by"
        ),
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
            provider: None,
            proves_second_factor: false,
        };
        assert_eq!(find(&tx, &[2; 32]), Ok(Some(link.clone())));
        assert_eq!(take(&tx, &[2; 32]), Ok(Some(link)));
        assert_eq!(take(&tx, &[2; 32]), Ok(None));
        delete_of_user(&tx, bob).unwrap();
        assert_eq!(take(&tx, &[3; 32]), Ok(None));
    }

    #[test]
    fn a_person_who_has_proved_something_has_one_link_for_each_way() {
        let database = TestDatabase::with_realm();
        let tx = database.tx();
        let ann = testing::user(&tx, "ann@x.org");
        replace(&tx, ann, &[1; 32], 5).unwrap();
        insert_proven(&tx, ann, &[2; 32], 6, None, false).unwrap();
        insert_proven(&tx, ann, &[3; 32], 7, None, true).unwrap();
        assert!(find(&tx, &[1; 32]).unwrap().is_some());
        assert_eq!(find(&tx, &[2; 32]), Ok(None));
        assert!(find(&tx, &[3; 32]).unwrap().unwrap().proves_second_factor);
        insert_proven(&tx, ann, &[4; 32], 6, Some("kc"), true).unwrap();
        insert_proven(&tx, ann, &[5; 32], 7, Some("kc"), true).unwrap();
        assert_eq!(take(&tx, &[4; 32]), Ok(None));
        let provider = |hash: u8| take(&tx, &[hash; 32]).unwrap().unwrap().provider;
        assert_eq!(provider(5).as_deref(), Some("kc"));
        assert_eq!(provider(3), None);
        assert_eq!(provider(1), None);
    }

    #[test]
    fn a_link_has_one_use() {
        let database = TestDatabase::with_realm();
        let tx = database.tx();
        let (ann, bob) = (
            testing::user(&tx, "ann@x.org"),
            testing::user(&tx, "bob@x.org"),
        );
        replace(&tx, ann, &[1; 32], 5).unwrap();
        assert_eq!(password_link(&tx, &[1; 32]), Ok(None));
        replace_with_password_link(&tx, ann, &[2; 32], 5, 9, Some(bob)).unwrap();
        assert_eq!(take(&tx, &[1; 32]), Ok(None));
        assert_eq!(take(&tx, &[2; 32]), Ok(None));
        let link = PasswordLink {
            user_id: ann,
            until: 9,
            made_by: Some(bob),
        };
        assert_eq!(password_link(&tx, &[2; 32]), Ok(Some(link)));
        assert_eq!(take_password_link(&tx, &[2; 32]), Ok(Some(link)));
        assert_eq!(take_password_link(&tx, &[2; 32]), Ok(None));
        replace(&tx, ann, &[1; 32], 5).unwrap();
        assert_eq!(take_password_link(&tx, &[1; 32]), Ok(None));
        let is_there = |hash| password_link(&tx, &[hash; 32]).unwrap().is_some();
        replace_with_password_link(&tx, ann, &[4; 32], 5, 9, Some(bob)).unwrap();
        insert_own(&tx, ann, &[5; 32], 5, 9).unwrap();
        insert_own(&tx, ann, &[6; 32], 8, 12).unwrap();
        assert!(is_there(4) && is_there(5) && is_there(6));
        insert_own(&tx, ann, &[7; 32], 9, 13).unwrap();
        assert!(is_there(4) && !is_there(5) && is_there(6));
        delete_own(&tx, ann).unwrap();
        assert!(is_there(4) && !is_there(6) && !is_there(7));
    }
}
