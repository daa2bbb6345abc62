//! Invitations: open ones, and ones that ended recently.
//!
//! Owns the rows of `invitations`. An invitation is open while it has not ended (used, revoked)
//! and not expired; most statements are about open ones alone. The other half of a
//! link's key, a signature, is not known here.

use spindle_domain::{InvitationId, RealmId, Role, UserId};

use crate::{Db, DbError, FromValue, Value, WriteTx, params, row_struct, sql, statement};

/// Bytes of a nonce.
pub const NONCE_LENGTH: usize = 16;

/// A new invitation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewInvitation<'a> {
    pub realm_id: RealmId,
    /// The user who invites.
    pub inviter_id: UserId,
    /// The half of the link's key that finds the row.
    pub nonce: &'a [u8; NONCE_LENGTH],
    /// The address and the same folded; `None` for a link that many may use.
    pub email: Option<(&'a str, &'a str)>,
    pub invited_as: Role,
    /// UNIX seconds.
    pub created_at: i64,
    /// Seconds; `None` means that it never expires.
    pub lifetime: Option<i64>,
    /// Whether the inviter is notified when a user joins.
    pub notifies_inviter: bool,
    /// Whether the default channels are joined.
    pub joins_defaults: bool,
    /// JSON list of further channels.
    pub channel_ids: &'a str,
    /// JSON list of groups.
    pub group_ids: &'a str,
    /// Text of the welcome bot after its greeting; `None` means the organization's.
    pub welcome_text: Option<&'a str>,
}

/// How an invitation has ended before its time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// Its one use.
    Use,
    /// Revoked by a user.
    Revocation,
}

impl End {
    const fn name(self) -> &'static str {
        match self {
            Self::Use => "use",
            Self::Revocation => "revocation",
        }
    }
}

impl FromValue for End {
    const EXPECTED: &'static str = "use or revocation";

    fn from_value(value: &mut Value) -> Option<Self> {
        let name = String::from_value(value)?;
        [Self::Use, Self::Revocation]
            .into_iter()
            .find(|end| end.name() == name)
    }
}

row_struct! {
    /// An invitation as stored.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct InvitationRow {
        pub id: InvitationId,
        /// The user who invites.
        pub inviter_id: UserId,
        /// Half of the link's key.
        pub nonce: Vec<u8>,
        /// The address; `None` for a link that many may use.
        pub email: Option<String>,
        pub invited_as: Role,
        /// UNIX seconds.
        pub created_at: i64,
        /// UNIX seconds; `None` means never.
        pub expires_at: Option<i64>,
        /// None unless it has ended before its time.
        pub ended_by: Option<End>,
        /// Whether the inviter is notified when a user joins.
        pub notifies_inviter: bool,
        /// Whether the default channels are joined.
        pub joins_defaults: bool,
        /// JSON list of further channels.
        pub channel_ids: String,
        /// JSON list of groups.
        pub group_ids: String,
        /// See [`NewInvitation::welcome_text`].
        pub welcome_text: Option<String>,
    }
}

impl InvitationRow {
    /// Whether many may use it.
    #[must_use]
    pub const fn is_multiuse(&self) -> bool {
        self.email.is_none()
    }

    /// Whether its time is over at `now` (UNIX seconds).
    #[must_use]
    pub fn has_expired(&self, now: i64) -> bool {
        self.expires_at.is_some_and(|end| end <= now)
    }
}

macro_rules! select_invitations {
    () => {
        "SELECT id, inviter_id, nonce, email, invited_as, created_at, expires_at, ended_by, \
         notifies_inviter, joins_defaults, channel_ids, group_ids, welcome_text \
         FROM invitations WHERE "
    };
}

/// Open at `?2` (UNIX seconds).
macro_rules! is_open {
    () => {
        "ended_at IS NULL AND (expires_at IS NULL OR expires_at > ?2)"
    };
}

/// Stores an invitation; returns its id.
pub fn insert(tx: &WriteTx<'_>, new: &NewInvitation<'_>) -> Result<InvitationId, DbError> {
    let expires_at = new.lifetime.map(|lifetime| new.created_at + lifetime);
    tx.execute(
        statement!("INSERT INTO invitations (realm_id, inviter_id, nonce, email, email_folded, invited_as, \
             created_at, lifetime, expires_at, notifies_inviter, joins_defaults, channel_ids, \
             group_ids, welcome_text) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14) RETURNING id"),
        &params![
            new.realm_id,
            new.inviter_id,
            new.nonce.as_slice(),
            new.email.map(|(email, _)| email),
            new.email.map(|(_, folded)| folded),
            new.invited_as,
            new.created_at,
            new.lifetime,
            expires_at,
            new.notifies_inviter,
            new.joins_defaults,
            new.channel_ids,
            new.group_ids,
            new.welcome_text,
        ],
    )?
    .one_value()
}

/// The open invitations at `now` (UNIX seconds), by id: all, or those of one inviter.
pub fn open(
    db: &dyn Db,
    realm_id: RealmId,
    now: i64,
    inviter_id: Option<UserId>,
) -> Result<Vec<InvitationRow>, DbError> {
    db.query(
        sql!(
            select_invitations!(),
            "realm_id = ?1 AND (?3:bigint IS NULL OR inviter_id = ?3) AND ",
            is_open!(),
            " ORDER BY id"
        ),
        &params![realm_id, now, inviter_id],
    )?
    .all()
}

/// An open invitation at `now` (UNIX seconds) by its id.
pub fn open_by_id(
    db: &dyn Db,
    realm_id: RealmId,
    now: i64,
    id: InvitationId,
) -> Result<Option<InvitationRow>, DbError> {
    db.query(
        sql!(
            select_invitations!(),
            "realm_id = ?1 AND id = ?3 AND ",
            is_open!()
        ),
        &params![realm_id, now, id],
    )?
    .first()
}

/// The invitation with this nonce, open or not.
pub fn by_nonce(
    db: &dyn Db,
    realm_id: RealmId,
    nonce: &[u8],
) -> Result<Option<InvitationRow>, DbError> {
    db.query(
        sql!(select_invitations!(), "realm_id = ?1 AND nonce = ?2"),
        &params![realm_id, nonce],
    )?
    .first()
}

/// The users whose invitations of an address are open at `now` (UNIX seconds).
pub fn inviters_of(
    db: &dyn Db,
    realm_id: RealmId,
    now: i64,
    email_folded: &str,
) -> Result<Vec<UserId>, DbError> {
    db.query(
        sql!(
            "SELECT DISTINCT inviter_id FROM invitations WHERE realm_id = ?1 AND email_folded = ?3 AND ",
            is_open!(),
            " ORDER BY inviter_id"
        ),
        &params![realm_id, now, email_folded],
    )?
    .values()
}

/// Number of invitations that a user has created after `time` (UNIX seconds), ended ones included.
pub fn count_since(db: &dyn Db, inviter_id: UserId, time: i64) -> Result<i64, DbError> {
    db.query(
        sql!("SELECT count(*) FROM invitations WHERE inviter_id = ?1 AND created_at > ?2"),
        &params![inviter_id, time],
    )?
    .one_value()
}

/// Restarts the lifetime of an invitation at `now` (UNIX seconds).
pub fn renew(tx: &WriteTx<'_>, id: InvitationId, now: i64) -> Result<(), DbError> {
    tx.execute(
        statement!("UPDATE invitations SET expires_at = ?2 + lifetime WHERE id = ?1"),
        &params![id, now],
    )?;
    Ok(())
}

/// Ends an invitation at `now` (UNIX seconds).
pub fn end(tx: &WriteTx<'_>, id: InvitationId, now: i64, end: End) -> Result<(), DbError> {
    tx.execute(
        statement!("UPDATE invitations SET ended_at = ?2, ended_by = ?3 WHERE id = ?1"),
        &params![id, now, end.name()],
    )?;
    Ok(())
}

/// Revokes the open invitations of a user at `now` (UNIX seconds); returns their ids.
pub fn revoke_of_inviter(
    tx: &WriteTx<'_>,
    inviter_id: UserId,
    now: i64,
) -> Result<Vec<InvitationId>, DbError> {
    let mut ids = tx
        .execute(
            statement!(
                "UPDATE invitations SET ended_at = ?2, ended_by = 'revocation' \
                 WHERE inviter_id = ?1 AND ",
                is_open!(),
                " RETURNING id"
            ),
            &params![inviter_id, now],
        )?
        .values()?;
    ids.sort_unstable();
    Ok(ids)
}

/// Ends the open invitations of an address, which belongs to an account at `now` (UNIX seconds);
/// returns the inviters.
pub fn use_of_address(
    tx: &WriteTx<'_>,
    realm_id: RealmId,
    now: i64,
    email_folded: &str,
) -> Result<Vec<UserId>, DbError> {
    tx.execute(
        statement!(
            "UPDATE invitations SET ended_at = ?2, ended_by = 'use' \
             WHERE realm_id = ?1 AND email_folded = ?3 AND ",
            is_open!(),
            " RETURNING inviter_id"
        ),
        &params![realm_id, now, email_folded],
    )?
    .values()
}

/// Whether an invitation has ended or expired before `time` (UNIX seconds).
pub fn any_ended_before(db: &dyn Db, time: i64) -> Result<bool, DbError> {
    db.query(
        sql!("SELECT EXISTS (SELECT 1 FROM invitations WHERE coalesce(ended_at, expires_at) < ?1)"),
        &params![time],
    )?
    .one_value()
}

/// Deletes what has ended or expired before `time` (UNIX seconds); returns how many there were.
pub fn delete_ended_before(tx: &WriteTx<'_>, time: i64) -> Result<usize, DbError> {
    let rows = tx.execute(
        statement!(
            "DELETE FROM invitations WHERE coalesce(ended_at, expires_at) < ?1 RETURNING id"
        ),
        &params![time],
    )?;
    Ok(rows.rows.len())
}

#[cfg(test)]
mod tests;
