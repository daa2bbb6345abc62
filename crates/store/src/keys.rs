//! API keys and the one statement that authenticates a request.
//!
//! Only hashes are stored. The caller's row carries every fact that guards and the most
//! frequent operations need, so that authentication costs a single lookup.

use spindle_domain::limits::quotas::Quota;
use spindle_domain::policy::Scope;
use spindle_domain::{ApiKeyId, RealmId, Role, UserId};

use crate::{
    Db, DbError, FromRow, Row, WriteTx, among, either, params, row_struct, sql, statement,
};

/// A key with the account that it belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyCaller {
    /// The account; its hash is the key's.
    pub caller: CallerRow,
    pub key_id: ApiKeyId,
    pub scope: Scope,
    /// UNIX seconds; `None`: never.
    pub ends: Option<i64>,
    /// UNIX seconds; up to an hour before the last use.
    pub last_used: Option<i64>,
}

impl FromRow for KeyCaller {
    fn from_row(row: &mut Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            caller: CallerRow::from_row(row)?,
            key_id: row.named("key_id")?,
            scope: row.named("scope")?,
            ends: row.named("ends")?,
            last_used: row.named("last_used")?,
        })
    }
}

row_struct! {
    /// The account behind a key and the facts about its organization.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct CallerRow {
        /// The stored hash, for comparison in constant time.
        pub hash: Vec<u8>,
        pub user_id: UserId,
        pub realm_id: RealmId,
        /// API email.
        pub email: String,
        /// API email, folded.
        pub email_folded: String,
        /// Real address.
        pub delivery_email: String,
        /// Real address, folded.
        pub delivery_email_folded: String,
        pub full_name: String,
        /// Role; the owner's for a bot whose own role is higher.
        pub role: Role,
        /// False once deactivated.
        pub is_active: bool,
        /// 1 to 4 for bots.
        pub bot_type: Option<i64>,
        /// Owner of a bot.
        pub bot_owner_id: Option<UserId>,
        /// The rate that the operator has set for this bot.
        pub requests_per_minute: Option<i64>,
        /// Imported and never logged in.
        pub is_imported_stub: bool,
        /// UNIX seconds.
        pub date_joined: i64,
        /// ISO 8601 with offset.
        pub date_joined_text: String,
        /// UNIX seconds; `None` before the first login.
        pub last_login: Option<i64>,
        /// IANA name, or empty.
        pub timezone: String,
        /// `G`, `U` or `J`.
        pub avatar_source: String,
        /// Path under which the avatar is served.
        pub avatar_url: String,
        /// Grows with each new avatar.
        pub avatar_version: i64,
        /// JSON object of the user's settings that differ from their defaults.
        pub settings: String,
        /// Whether the organization was deactivated.
        pub realm_deactivated: bool,
        pub realm_name: String,
        /// Subdomain.
        pub realm_string_id: String,
        /// JSON object of the organization's settings that differ from their defaults.
        pub realm_settings: String,
        /// Version of the list of linkifiers; empty when there has never been one.
        pub linkifiers_version: String,
        /// Whether the account has a second factor, or another service has checked one for this key or session.
        pub has_second_factor: bool,
    }
}

/// The role that an account acts with: a bot has no more rights than its owner. The lesser role is the
/// larger number. Expects `users u`.
macro_rules! effective_role {
    () => {
        "iif(u.bot_owner_id IS NULL, u.role, coalesce((SELECT iif(o.role > u.role, o.role, u.role) \
         FROM users o WHERE o.id = u.bot_owner_id), u.role))"
    };
}
pub(crate) use effective_role;

macro_rules! caller_columns {
    ($hash:expr, $proves_second_factor:expr) => {
        concat!(
            "SELECT ",
            $hash,
            " AS hash, u.id AS user_id, u.realm_id, u.email, u.email_folded, u.delivery_email, \
             u.delivery_email_folded, u.full_name, ",
            crate::keys::effective_role!(),
            " AS role, u.is_active, u.bot_type, \
             u.bot_owner_id, u.requests_per_minute, u.is_imported_stub, u.date_joined, ",
            crate::users::iso_date!("u.date_joined"),
            " AS date_joined_text, u.last_login, u.timezone, u.avatar_source, ",
            crate::users::avatar_url!("u"),
            " AS avatar_url, u.avatar_version, u.settings, r.deactivated AS realm_deactivated, \
             r.name AS realm_name, r.string_id AS realm_string_id, r.settings AS realm_settings, \
             r.linkifiers_version, iif(u.second_factor_since IS NULL, ",
            $proves_second_factor,
            ", 1) AS has_second_factor "
        )
    };
}
pub(crate) use caller_columns;

/// Finds the account behind the hash of a key.
pub fn caller_by_hash(db: &dyn Db, hash: &[u8]) -> Result<Option<KeyCaller>, DbError> {
    db.query(
        sql!(
            caller_columns!("k.hash", "k.proves_second_factor"),
            ", k.id AS key_id, k.scope, k.ends, k.last_used FROM api_keys k JOIN users u ON u.id = k.user_id JOIN realms r ON r.id = u.realm_id \
             WHERE k.hash = ?1"
        ),
        &params![hash],
    )?
    .first()
}

/// Reads an authenticated account again, in a read transaction; the hash is empty.
pub fn caller_by_id(db: &dyn Db, user_id: UserId) -> Result<Option<CallerRow>, DbError> {
    db.query(
        sql!(
            caller_columns!(either!("x''", "CAST('' AS BYTEA)"), "0"),
            "FROM users u JOIN realms r ON r.id = u.realm_id WHERE u.id = ?1"
        ),
        &params![user_id],
    )?
    .first()
}

/// Reads a system bot as if it were an account of the organization `realm_id`, whose settings
/// and linkifiers apply to what it writes there; the hash is empty.
pub fn system_caller(
    db: &dyn Db,
    realm_id: RealmId,
    email_folded: &str,
) -> Result<Option<CallerRow>, DbError> {
    db.query(
        sql!(
            caller_columns!(either!("x''", "CAST('' AS BYTEA)"), "0"),
            "FROM users u JOIN realms r ON r.id = ?1 \
             WHERE u.realm_id = 0 AND u.email_folded = ?2"
        ),
        &params![realm_id, email_folded],
    )?
    .first()
}

/// Stores the hash of a new key without a name, which is used right away, and deletes the account's oldest such keys
/// beyond the limit; returns whether there were any.
pub fn insert(
    tx: &WriteTx<'_>,
    user_id: UserId,
    hash: &[u8],
    created: i64,
    label: &str,
) -> Result<bool, DbError> {
    tx.execute(
        statement!(
            "INSERT INTO api_keys (hash, user_id, created, label, last_used) \
             VALUES (?1, ?2, ?3, ?4, ?3)"
        ),
        &params![hash, user_id, created, label],
    )?;
    // By id, since several keys may be made within a second and clocks are set back.
    let gone = tx.execute(
        statement!(
            "DELETE FROM api_keys WHERE hash ",
            among!(
                "SELECT hash FROM api_keys WHERE user_id = ?1 AND name IS NULL AND hash <> ?2 \
                 ORDER BY id DESC LIMIT -1 OFFSET ?3"
            ),
            " RETURNING 1"
        ),
        &params![user_id, hash, Quota::UnnamedKeys.limit() - 1],
    )?;
    Ok(!gone.rows.is_empty())
}

/// A key with a name that is to be stored.
#[derive(Debug, Clone, Copy)]
pub struct NamedKey<'a> {
    pub hash: &'a [u8],
    pub name: &'a str,
    pub scope: Scope,
    /// UNIX seconds; `None`: never.
    pub ends: Option<i64>,
    /// The program that asked for it.
    pub label: &'a str,
}

/// Stores a key with a name; returns its id.
pub fn insert_named(
    tx: &WriteTx<'_>,
    user_id: UserId,
    created: i64,
    key: &NamedKey<'_>,
) -> Result<ApiKeyId, DbError> {
    tx.execute(
        statement!(
            "INSERT INTO api_keys (hash, user_id, created, label, name, scope, ends) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) RETURNING id"
        ),
        &params![
            key.hash, user_id, created, key.label, key.name, key.scope, key.ends
        ],
    )?
    .one_value()
}

/// Notes that a key is used at `now`, if it was not noted since `before` already. False when it was, or there is no such
/// key.
pub fn note_use(
    tx: &WriteTx<'_>,
    key_id: ApiKeyId,
    now: i64,
    before: i64,
) -> Result<bool, DbError> {
    let rows = tx.execute(
        statement!(
            "UPDATE api_keys SET last_used = ?2 \
             WHERE id = ?1 AND (last_used IS NULL OR last_used < ?3) RETURNING 1"
        ),
        &params![key_id, now, before],
    )?;
    Ok(!rows.rows.is_empty())
}

/// Returns true if the hash belongs to a key or session of an active account.
pub fn is_valid(db: &dyn Db, user_id: UserId, hash: &[u8]) -> Result<bool, DbError> {
    let rows = db.query(
        sql!(
            "SELECT 1 FROM users u WHERE u.id = ?1 AND u.is_active = 1 AND ( \
             EXISTS (SELECT 1 FROM api_keys k WHERE k.hash = ?2 AND k.user_id = u.id) \
             OR EXISTS (SELECT 1 FROM sessions s WHERE s.hash = ?2 AND s.user_id = u.id))"
        ),
        &params![user_id, hash],
    )?;
    Ok(!rows.rows.is_empty())
}

row_struct! {
    /// A key as its owner and owners of the organization see it.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct KeyRow {
        pub id: ApiKeyId,
        /// `None` for a key of a sign-in.
        pub name: Option<String>,
        pub scope: Scope,
        /// UNIX seconds.
        pub created: i64,
        /// UNIX seconds; up to an hour before the last use.
        pub last_used: Option<i64>,
        /// UNIX seconds; `None`: never.
        pub ends: Option<i64>,
        /// The program that asked for the key, or how it was made.
        pub label: String,
    }
}

/// The keys of an account that have not expired at `now`, the oldest first.
pub fn list(db: &dyn Db, user_id: UserId, now: i64) -> Result<Vec<KeyRow>, DbError> {
    db.query(
        sql!(
            "SELECT id, name, scope, created, last_used, ends, label FROM api_keys \
             WHERE user_id = ?1 AND (ends IS NULL OR ends > ?2) ORDER BY created, id"
        ),
        &params![user_id, now],
    )?
    .all()
}

row_struct! {
    /// A key that has ended.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct EndedKey {
        pub id: ApiKeyId,
        pub user_id: UserId,
        pub name: Option<String>,
    }
}

macro_rules! returning_ended {
    () => {
        " RETURNING id, user_id, name"
    };
}

/// Ends a key; `None` when the account has no such key.
pub fn delete(
    tx: &WriteTx<'_>,
    user_id: UserId,
    key_id: ApiKeyId,
) -> Result<Option<EndedKey>, DbError> {
    tx.execute(
        statement!(
            "DELETE FROM api_keys WHERE id = ?2 AND user_id = ?1",
            returning_ended!()
        ),
        &params![user_id, key_id],
    )?
    .first()
}

/// Whether any key has expired at `now`.
pub fn any_expired(db: &dyn Db, now: i64) -> Result<bool, DbError> {
    db.query(
        sql!("SELECT EXISTS (SELECT 1 FROM api_keys WHERE ends IS NOT NULL AND ends <= ?1)"),
        &params![now],
    )?
    .one_value()
}

/// Deletes at most `most` keys that have expired at `now`, and returns them.
pub fn delete_expired(tx: &WriteTx<'_>, now: i64, most: i64) -> Result<Vec<EndedKey>, DbError> {
    tx.execute(
        statement!(
            "DELETE FROM api_keys WHERE id ",
            among!(
                "SELECT id FROM api_keys WHERE ends IS NOT NULL AND ends <= ?1 \
                 ORDER BY ends, id LIMIT ?2"
            ),
            returning_ended!()
        ),
        &params![now, most],
    )?
    .all()
}

/// Revokes every key of an account.
pub fn delete_all(tx: &WriteTx<'_>, user_id: UserId) -> Result<(), DbError> {
    tx.execute(
        statement!("DELETE FROM api_keys WHERE user_id = ?1"),
        &params![user_id],
    )?;
    Ok(())
}

#[cfg(test)]
mod tests;
