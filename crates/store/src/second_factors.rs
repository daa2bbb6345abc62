//! Second factors: codes of an app and recovery codes, and the API keys that were made without one.
//!
//! A code is used up by the statement that finds it unused, so of two concurrent requests with one code the second finds
//! nothing, on any node. What a right code is, and how many wrong ones are too many, is decided by the caller.

use spindle_domain::UserId;

use crate::{Db, DbError, WriteTx, params, row_struct, sql, statement};

row_struct! {
    /// The app of a person.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Totp {
        pub secret: Vec<u8>,
        /// UNIX seconds; none as long as no code of it was sent.
        pub confirmed: Option<i64>,
        /// Of the code that was used last.
        pub last_step: i64,
        /// Since the last right one.
        pub wrong_codes: i64,
        /// UNIX seconds.
        pub closed_until: i64,
    }
}

/// The app of a person, whether confirmed or not.
pub fn totp(db: &dyn Db, user_id: UserId) -> Result<Option<Totp>, DbError> {
    db.query(
        sql!(
            "SELECT secret, confirmed, last_step, wrong_codes, closed_until FROM totp \
             WHERE user_id = ?1"
        ),
        &params![user_id],
    )?
    .first()
}

/// Stores the secret of an app that is to be confirmed, in place of another one of that kind. False when the person has a
/// confirmed one.
pub fn begin_totp(
    tx: &WriteTx<'_>,
    user_id: UserId,
    secret: &[u8],
    now: i64,
) -> Result<bool, DbError> {
    let rows = tx.execute(
        statement!(
            "INSERT INTO totp (user_id, secret, created) VALUES (?1, ?2, ?3) \
             ON CONFLICT (user_id) DO UPDATE SET secret = excluded.secret, created = excluded.created \
             WHERE totp.confirmed IS NULL RETURNING 1"
        ),
        &params![user_id, secret, now],
    )?;
    Ok(!rows.rows.is_empty())
}

/// Confirms the app with the code of a step. False when it is confirmed already.
pub fn confirm_totp(
    tx: &WriteTx<'_>,
    user_id: UserId,
    step: i64,
    now: i64,
) -> Result<bool, DbError> {
    let rows = tx.execute(
        statement!(
            "UPDATE totp SET confirmed = ?3, last_step = ?2 \
             WHERE user_id = ?1 AND confirmed IS NULL RETURNING 1"
        ),
        &params![user_id, step, now],
    )?;
    Ok(!rows.rows.is_empty())
}

/// Uses the code of a step up. False when it, or a later one, was used before.
pub fn use_step(tx: &WriteTx<'_>, user_id: UserId, step: i64) -> Result<bool, DbError> {
    let rows = tx.execute(
        statement!(
            "UPDATE totp SET last_step = ?2, wrong_codes = 0, closed_until = 0 \
             WHERE user_id = ?1 AND confirmed IS NOT NULL AND last_step < ?2 RETURNING 1"
        ),
        &params![user_id, step],
    )?;
    Ok(!rows.rows.is_empty())
}

/// Counts a wrong code, after which none is compared before `closed_until` (UNIX seconds).
pub fn count_wrong_code(
    tx: &WriteTx<'_>,
    user_id: UserId,
    closed_until: i64,
) -> Result<(), DbError> {
    tx.execute(
        statement!(
            "UPDATE totp SET wrong_codes = wrong_codes + 1, closed_until = ?2 WHERE user_id = ?1"
        ),
        &params![user_id, closed_until],
    )?;
    Ok(())
}

/// Deletes the app of a person. False when there is none.
pub fn delete_totp(tx: &WriteTx<'_>, user_id: UserId) -> Result<bool, DbError> {
    let rows = tx.execute(
        statement!("DELETE FROM totp WHERE user_id = ?1 RETURNING 1"),
        &params![user_id],
    )?;
    Ok(!rows.rows.is_empty())
}

/// Stores recovery codes in place of the earlier ones of the person.
pub fn replace_recovery_codes(
    tx: &WriteTx<'_>,
    user_id: UserId,
    hashes: &[[u8; 32]],
) -> Result<(), DbError> {
    tx.execute(
        statement!("DELETE FROM recovery_codes WHERE user_id = ?1"),
        &params![user_id],
    )?;
    for hash in hashes {
        tx.execute(
            statement!("INSERT INTO recovery_codes (user_id, hash) VALUES (?1, ?2)"),
            &params![user_id, hash.as_slice()],
        )?;
    }
    Ok(())
}

/// Uses a recovery code up. False when the person has no such code.
pub fn take_recovery_code(tx: &WriteTx<'_>, user_id: UserId, hash: &[u8]) -> Result<bool, DbError> {
    let rows = tx.execute(
        statement!("DELETE FROM recovery_codes WHERE user_id = ?1 AND hash = ?2 RETURNING 1"),
        &params![user_id, hash],
    )?;
    Ok(!rows.rows.is_empty())
}

/// How many recovery codes a person has left.
pub fn count_recovery_codes(db: &dyn Db, user_id: UserId) -> Result<i64, DbError> {
    db.query(
        sql!("SELECT count(*) FROM recovery_codes WHERE user_id = ?1"),
        &params![user_id],
    )?
    .one_value()
}

/// Notes since when a person has a second factor (UNIX seconds); none: they have none.
pub fn set_since(tx: &WriteTx<'_>, user_id: UserId, since: Option<i64>) -> Result<(), DbError> {
    tx.execute(
        statement!("UPDATE users SET second_factor_since = ?2 WHERE id = ?1"),
        &params![user_id, since],
    )?;
    Ok(())
}

/// Whether a person has a second factor.
pub fn is_enrolled(db: &dyn Db, user_id: UserId) -> Result<bool, DbError> {
    db.query(
        sql!(
            "SELECT EXISTS (SELECT 1 FROM users WHERE id = ?1 AND second_factor_since IS NOT NULL)"
        ),
        &params![user_id],
    )?
    .one_value()
}

/// Whether any person has one.
pub fn is_used(db: &dyn Db) -> Result<bool, DbError> {
    db.query(
        sql!("SELECT EXISTS (SELECT 1 FROM users WHERE second_factor_since IS NOT NULL)"),
        &[],
    )?
    .one_value()
}

/// Active people with this role or a higher one (a smaller number) who have API keys that were made without a second
/// factor: at most `most`, by id.
pub fn with_unproven_keys(
    db: &dyn Db,
    lowest_role: i64,
    most: i64,
) -> Result<Vec<UserId>, DbError> {
    db.query(
        sql!(
            "SELECT DISTINCT u.id FROM users u JOIN api_keys k ON k.user_id = u.id \
             WHERE u.is_bot = 0 AND u.is_active = 1 AND u.role <= ?1 AND k.proves_second_factor = 0 \
             AND (u.second_factor_since IS NULL OR k.created <= u.second_factor_since) \
             ORDER BY u.id LIMIT ?2"
        ),
        &params![lowest_role, most],
    )?
    .values()
}

/// Deletes the API keys of a person that were made without a second factor.
pub fn delete_unproven_keys(tx: &WriteTx<'_>, user_id: UserId) -> Result<bool, DbError> {
    let rows = tx.execute(
        statement!(
            "DELETE FROM api_keys WHERE user_id = ?1 AND proves_second_factor = 0 \
             AND created <= coalesce((SELECT u.second_factor_since FROM users u WHERE u.id = ?1), \
             9223372036854775807) RETURNING 1"
        ),
        &params![user_id],
    )?;
    Ok(!rows.rows.is_empty())
}

/// Notes that another service has checked a second factor before a key was made.
pub fn prove_key(tx: &WriteTx<'_>, hash: &[u8]) -> Result<(), DbError> {
    tx.execute(
        statement!("UPDATE api_keys SET proves_second_factor = 1 WHERE hash = ?1"),
        &params![hash],
    )?;
    Ok(())
}

/// Forgets of all keys and sessions of a person that a second factor was checked before they were made.
pub fn unprove_keys(tx: &WriteTx<'_>, user_id: UserId) -> Result<(), DbError> {
    tx.execute(
        statement!("UPDATE api_keys SET proves_second_factor = 0 WHERE user_id = ?1"),
        &params![user_id],
    )?;
    tx.execute(
        statement!("UPDATE sessions SET proves_second_factor = 0 WHERE user_id = ?1"),
        &params![user_id],
    )?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys;
    use crate::testing::{self, TestDatabase};

    #[test]
    fn a_code_is_used_once_and_only_of_a_confirmed_app() {
        let database = TestDatabase::with_realm();
        let tx = database.tx();
        let ann = testing::user(&tx, "ann@x.org");
        assert_eq!(totp(&tx, ann), Ok(None));
        assert_eq!(begin_totp(&tx, ann, &[1; 20], 5), Ok(true));
        assert_eq!(use_step(&tx, ann, 7), Ok(false));
        assert_eq!(begin_totp(&tx, ann, &[2; 20], 6), Ok(true));
        assert_eq!(confirm_totp(&tx, ann, 7, 8), Ok(true));
        assert_eq!(confirm_totp(&tx, ann, 8, 8), Ok(false));
        assert_eq!(begin_totp(&tx, ann, &[3; 20], 9), Ok(false));
        assert_eq!(use_step(&tx, ann, 7), Ok(false));
        count_wrong_code(&tx, ann, 99).unwrap();
        let row = totp(&tx, ann).unwrap().unwrap();
        assert_eq!(
            (row.secret.as_slice(), row.confirmed),
            (&[2; 20][..], Some(8))
        );
        assert_eq!((row.wrong_codes, row.closed_until), (1, 99));
        assert_eq!(use_step(&tx, ann, 8), Ok(true));
        assert_eq!(use_step(&tx, ann, 8), Ok(false));
        let row = totp(&tx, ann).unwrap().unwrap();
        assert_eq!(
            (row.last_step, row.wrong_codes, row.closed_until),
            (8, 0, 0)
        );
        assert_eq!(delete_totp(&tx, ann), Ok(true));
        assert_eq!(delete_totp(&tx, ann), Ok(false));
    }

    #[test]
    fn a_recovery_code_is_used_once() {
        let database = TestDatabase::with_realm();
        let tx = database.tx();
        let ann = testing::user(&tx, "ann@x.org");
        replace_recovery_codes(&tx, ann, &[[1; 32], [2; 32]]).unwrap();
        assert_eq!(take_recovery_code(&tx, ann, &[3; 32]), Ok(false));
        assert_eq!(take_recovery_code(&tx, ann, &[1; 32]), Ok(true));
        assert_eq!(take_recovery_code(&tx, ann, &[1; 32]), Ok(false));
        assert_eq!(count_recovery_codes(&tx, ann), Ok(1));
        replace_recovery_codes(&tx, ann, &[[4; 32]]).unwrap();
        assert_eq!(take_recovery_code(&tx, ann, &[2; 32]), Ok(false));
        replace_recovery_codes(&tx, ann, &[]).unwrap();
        assert_eq!(count_recovery_codes(&tx, ann), Ok(0));
    }

    #[test]
    fn keys_without_a_second_factor_are_those_before_it() {
        let database = TestDatabase::with_realm();
        let tx = database.tx();
        let ann = testing::user(&tx, "ann@x.org");
        assert_eq!(is_used(&tx), Ok(false));
        keys::insert(&tx, ann, &[1; 32], 5, "").unwrap();
        keys::insert(&tx, ann, &[2; 32], 6, "").unwrap();
        prove_key(&tx, &[2; 32]).unwrap();
        assert_eq!(with_unproven_keys(&tx, 600, 9), Ok(vec![ann]));
        assert_eq!(with_unproven_keys(&tx, 100, 9), Ok(Vec::new()));
        set_since(&tx, ann, Some(8)).unwrap();
        assert_eq!(is_used(&tx), Ok(true));
        keys::insert(&tx, ann, &[3; 32], 9, "").unwrap();
        assert_eq!(with_unproven_keys(&tx, 600, 9), Ok(vec![ann]));
        assert_eq!(delete_unproven_keys(&tx, ann), Ok(true));
        assert_eq!(delete_unproven_keys(&tx, ann), Ok(false));
        assert_eq!(with_unproven_keys(&tx, 600, 9), Ok(Vec::new()));
        let is_there = |key| keys::caller_by_hash(&tx, &[key; 32]).unwrap().is_some();
        assert!(!is_there(1) && is_there(2) && is_there(3));
        let has = || {
            keys::caller_by_hash(&tx, &[2; 32])
                .unwrap()
                .unwrap()
                .caller
                .has_second_factor
        };
        assert!(has());
        set_since(&tx, ann, None).unwrap();
        assert!(has());
        assert!(
            !keys::caller_by_hash(&tx, &[3; 32])
                .unwrap()
                .unwrap()
                .caller
                .has_second_factor
        );
        unprove_keys(&tx, ann).unwrap();
        assert!(!has());
    }
}
