//! Sponsors: who shares their part of the organization's quotas with an account that joined by their invitation.

use spindle_domain::UserId;

use crate::{Db, DbError, WriteTx, params, sql, statement};

/// Lets a new account share what its inviter may have, or what the sponsor of the inviter may have.
pub fn set(tx: &WriteTx<'_>, user_id: UserId, inviter_id: UserId) -> Result<(), DbError> {
    tx.execute(
        statement!(
            "UPDATE users SET sponsor_id = (SELECT coalesce(i.sponsor_id, i.id) FROM users i \
             WHERE i.id = ?2) WHERE id = ?1"
        ),
        &params![user_id, inviter_id],
    )?;
    Ok(())
}

/// Whose share an account uses: its own, or its sponsor's.
pub fn payer_of(db: &dyn Db, user_id: UserId) -> Result<UserId, DbError> {
    db.query(
        sql!("SELECT coalesce(sponsor_id, id) FROM users WHERE id = ?1"),
        &params![user_id],
    )?
    .one_value()
}

/// Ends the sponsorships of an account: its own, and of the accounts that it sponsors.
pub fn end_of(tx: &WriteTx<'_>, user_id: UserId) -> Result<(), DbError> {
    tx.execute(
        statement!("UPDATE users SET sponsor_id = NULL WHERE id = ?1 OR sponsor_id = ?1"),
        &params![user_id],
    )?;
    Ok(())
}

/// Whether an account that joined before `time` (UNIX seconds) still has a sponsor.
pub fn any_before(db: &dyn Db, time: i64) -> Result<bool, DbError> {
    db.query(
        sql!(
            "SELECT EXISTS (SELECT 1 FROM users WHERE sponsor_id IS NOT NULL AND date_joined < ?1)"
        ),
        &params![time],
    )?
    .one_value()
}

/// Ends the sponsorships of accounts that joined before `time` (UNIX seconds).
pub fn end_before(tx: &WriteTx<'_>, time: i64) -> Result<(), DbError> {
    tx.execute(
        statement!(
            "UPDATE users SET sponsor_id = NULL WHERE sponsor_id IS NOT NULL AND date_joined < ?1"
        ),
        &params![time],
    )?;
    Ok(())
}
