//! Accounts of people and bots.
//!
//! Owns the rows of `users`, one at a time. Statements about several accounts are in
//! [`crate::user_lists`], user objects of the wire in [`crate::user_objects`], shared conversations in
//! [`crate::user_access`].

use spindle_domain::{RealmId, Role, UserId};

use crate::{Db, DbError, WriteTx, params, row_struct, sql, statement};

/// A time column in ISO 8601 with offset, as dates of joining are sent.
macro_rules! iso_date {
    ($column:literal) => {
        concat!(
            $crate::either!("strftime('%Y-%m-%dT%H:%M:%S+00:00', ", "iso_date("),
            $column,
            $crate::either!(", 'unixepoch')", ")")
        )
    };
}
pub(crate) use iso_date;

/// The path of an avatar: a drawn one by the id of its user, others by their random name. The
/// version makes caches fetch a new one.
macro_rules! avatar_url {
    ($alias:literal) => {
        concat!(
            "iif(",
            $alias,
            ".avatar_name IS NULL, '/avatar/' || ",
            $alias,
            ".id, '/user_avatars/' || ",
            $alias,
            ".realm_id || '/' || ",
            $alias,
            ".avatar_name) || '?version=' || ",
            $alias,
            ".avatar_version"
        )
    };
}
pub(crate) use avatar_url;

/// A new account.
#[derive(Debug, Clone, Default)]
pub struct NewUser<'a> {
    pub realm_id: RealmId,
    /// API email.
    pub email: &'a str,
    /// API email, folded for comparison.
    pub email_folded: &'a str,
    /// Real address.
    pub delivery_email: &'a str,
    /// Real address, folded.
    pub delivery_email_folded: &'a str,
    pub full_name: &'a str,
    /// Name, folded.
    pub full_name_folded: &'a str,
    pub role: Role,
    /// 1 to 4 for bots, `None` for people.
    pub bot_type: Option<i64>,
    /// Owner of a bot.
    pub bot_owner_id: Option<UserId>,
    /// Whether it is imported from another chat system and was never logged in to.
    pub is_imported_stub: bool,
    /// UNIX seconds.
    pub date_joined: i64,
    /// argon2id as PHC string; `None` means sign-in without a password, or not at all.
    pub password_hash: Option<&'a str>,
}

row_struct! {
    /// An account with the facts that rules need. It holds no credentials: [`password_hash`] reads
    /// the password, so that few components need the right to.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct UserRow {
        pub id: UserId,
        pub realm_id: RealmId,
        /// API email.
        pub email: String,
        /// Real address.
        pub delivery_email: String,
        pub full_name: String,
        pub role: Role,
        /// False once deactivated.
        pub is_active: bool,
        /// Whether it is a bot.
        pub is_bot: bool,
        /// Owner of a bot.
        pub bot_owner_id: Option<UserId>,
        /// The rate that the operator has set for this bot.
        pub requests_per_minute: Option<i64>,
        /// Whether it is imported and was never logged in to.
        pub is_imported_stub: bool,
        /// UNIX seconds.
        pub date_joined: i64,
        /// UNIX seconds; `None` before the first login.
        pub last_login: Option<i64>,
        /// JSON object of the settings that differ from their defaults.
        pub settings: String,
        /// UNIX seconds; `None` without a second factor.
        pub second_factor_since: Option<i64>,
    }
}

macro_rules! user_columns {
    () => {
        "SELECT id, realm_id, email, delivery_email, full_name, role, is_active, is_bot, \
         bot_owner_id, requests_per_minute, is_imported_stub, date_joined, last_login, settings, \
         second_factor_since FROM users "
    };
}
pub(crate) use user_columns;

/// Creates an account; returns its id.
///
/// # Errors
/// [`DbError::NotUnique`] when the address is taken.
pub fn insert(tx: &WriteTx<'_>, new: &NewUser<'_>) -> Result<UserId, DbError> {
    tx.execute(
        statement!("INSERT INTO users (realm_id, email, email_folded, delivery_email, delivery_email_folded, \
         full_name, full_name_folded, role, is_bot, bot_type, bot_owner_id, is_imported_stub, \
         date_joined, password_hash, avatar_source, avatar_name) \
         SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, source, \
             iif(source = 'G', random_name(), NULL) \
         FROM (SELECT coalesce((SELECT settings ->> 'default_avatar_source' FROM realms \
             WHERE id = ?1), 'J') AS source) AS chosen RETURNING id"),
        &params![
            new.realm_id,
            new.email,
            new.email_folded,
            new.delivery_email,
            new.delivery_email_folded,
            new.full_name,
            new.full_name_folded,
            new.role,
            new.bot_type.is_some(),
            new.bot_type,
            new.bot_owner_id,
            new.is_imported_stub,
            new.date_joined,
            new.password_hash,
        ],
    )?
    .one_value()
}

/// Finds an account by id.
pub fn by_id(db: &dyn Db, realm_id: RealmId, user_id: UserId) -> Result<Option<UserRow>, DbError> {
    db.query(
        sql!(user_columns!(), "WHERE realm_id = ?1 AND id = ?2"),
        &params![realm_id, user_id],
    )?
    .first()
}

/// Finds an account by its API email or its real address, both folded.
pub fn by_email(
    db: &dyn Db,
    realm_id: RealmId,
    email_folded: &str,
) -> Result<Option<UserRow>, DbError> {
    db.query(
        sql!(
            user_columns!(),
            "WHERE realm_id = ?1 AND (email_folded = ?2 OR delivery_email_folded = ?2) \
             ORDER BY email_folded <> ?2 LIMIT 1"
        ),
        &params![realm_id, email_folded],
    )?
    .first()
}

/// All accounts, by id.
pub fn list(db: &dyn Db, realm_id: RealmId) -> Result<Vec<UserRow>, DbError> {
    db.query(
        sql!(user_columns!(), "WHERE realm_id = ?1 ORDER BY id"),
        &params![realm_id],
    )?
    .all()
}

/// The hash of an account's password (argon2id as PHC string); `None` means that it has no password or does not exist.
/// Without an account the statement runs as well, so that a sign-in with an unknown name takes as long as any other.
pub fn password_hash(db: &dyn Db, user_id: Option<UserId>) -> Result<Option<String>, DbError> {
    let found = db
        .query(
            sql!("SELECT password_hash FROM users WHERE id = ?1"),
            &params![user_id],
        )?
        .value()?;
    Ok(found.flatten())
}

/// Stores the hash of a new password.
pub fn set_password_hash(tx: &WriteTx<'_>, user_id: UserId, hash: &str) -> Result<(), DbError> {
    tx.execute(
        statement!("UPDATE users SET password_hash = ?2 WHERE id = ?1"),
        &params![user_id, hash],
    )?;
    Ok(())
}

/// Takes the password of an account away.
pub fn delete_password_hash(tx: &WriteTx<'_>, user_id: UserId) -> Result<(), DbError> {
    tx.execute(
        statement!("UPDATE users SET password_hash = NULL WHERE id = ?1"),
        &params![user_id],
    )?;
    Ok(())
}

/// Whether the person has proved that the address is theirs.
pub fn has_confirmed_email(db: &dyn Db, user_id: UserId) -> Result<bool, DbError> {
    let found: Option<bool> = db
        .query(
            sql!("SELECT email_confirmed FROM users WHERE id = ?1"),
            &params![user_id],
        )?
        .value()?;
    Ok(found.unwrap_or(false))
}

/// Notes that the person has proved that the address is theirs.
pub fn confirm_email(tx: &WriteTx<'_>, user_id: UserId) -> Result<(), DbError> {
    tx.execute(
        statement!("UPDATE users SET email_confirmed = 1 WHERE id = ?1"),
        &params![user_id],
    )?;
    Ok(())
}

/// Stores another hash of the same password, unless the password has been changed in between.
pub fn renew_password_hash(
    tx: &WriteTx<'_>,
    user_id: UserId,
    old: &str,
    new: &str,
) -> Result<(), DbError> {
    tx.execute(
        statement!("UPDATE users SET password_hash = ?3 WHERE id = ?1 AND password_hash = ?2"),
        &params![user_id, old, new],
    )?;
    Ok(())
}

/// Sets the rate of a bot; with `None` it shares the rate of its owner's bots.
pub fn set_requests_per_minute(
    tx: &WriteTx<'_>,
    user_id: UserId,
    rate: Option<i64>,
) -> Result<(), DbError> {
    tx.execute(
        statement!("UPDATE users SET requests_per_minute = ?2 WHERE id = ?1"),
        &params![user_id, rate],
    )?;
    Ok(())
}

/// Changes the name; `folded` is its form for comparison.
pub fn set_full_name(
    tx: &WriteTx<'_>,
    user_id: UserId,
    name: &str,
    folded: &str,
) -> Result<(), DbError> {
    tx.execute(
        statement!("UPDATE users SET full_name = ?2, full_name_folded = ?3 WHERE id = ?1"),
        &params![user_id, name, folded],
    )?;
    Ok(())
}

/// Changes the real address, and the API email too when it is the same; `folded` is the form
/// for comparison. The new address is not confirmed. A gravatar changes with its address: returns the new version of it.
///
/// # Errors
/// [`DbError::NotUnique`] when the address is taken.
pub fn set_email(
    tx: &WriteTx<'_>,
    user_id: UserId,
    email: &str,
    folded: &str,
) -> Result<Option<i64>, DbError> {
    tx.execute(
        statement!(
            "UPDATE users SET email = iif(email = delivery_email, ?2, email), \
         email_folded = iif(email = delivery_email, ?3, email_folded), \
         delivery_email = ?2, delivery_email_folded = ?3, email_confirmed = 0, \
         avatar_version = avatar_version + iif(avatar_source = 'G', 1, 0) WHERE id = ?1 \
         RETURNING iif(avatar_source = 'G', avatar_version, NULL)"
        ),
        &params![user_id, email, folded],
    )?
    .one_value()
}

/// The source of the picture of an account: `G`, `U` or `J`.
pub fn avatar_source(db: &dyn Db, user_id: UserId) -> Result<Option<String>, DbError> {
    db.query(
        sql!("SELECT avatar_source FROM users WHERE id = ?1"),
        &params![user_id],
    )?
    .value()
}

/// Activates or deactivates an account.
pub fn set_active(tx: &WriteTx<'_>, user_id: UserId, is_active: bool) -> Result<(), DbError> {
    tx.execute(
        statement!("UPDATE users SET is_active = ?2 WHERE id = ?1"),
        &params![user_id, is_active],
    )?;
    Ok(())
}

/// Changes the role.
pub fn set_role(tx: &WriteTx<'_>, user_id: UserId, role: Role) -> Result<(), DbError> {
    tx.execute(
        statement!("UPDATE users SET role = ?2 WHERE id = ?1"),
        &params![user_id, role],
    )?;
    Ok(())
}

/// Stores one personal setting; `value` is JSON text.
pub fn set_setting(
    tx: &WriteTx<'_>,
    user_id: UserId,
    name: &str,
    value: &str,
) -> Result<(), DbError> {
    tx.execute(
        statement!("UPDATE users SET settings = json_set(settings, '$.' || json_quote(?2), json(?3)) WHERE id = ?1"),
        &params![user_id, name, value],
    )?;
    Ok(())
}

/// Records a first login. Returns the new date of joining (ISO 8601), or none when the
/// account had logged in before, so that of two concurrent requests only one emits the event.
pub fn record_first_login(
    tx: &WriteTx<'_>,
    user_id: UserId,
    now: i64,
) -> Result<Option<String>, DbError> {
    tx.execute(
        statement!(
            "UPDATE users SET last_login = ?2, date_joined = ?2, is_imported_stub = 0 \
             WHERE id = ?1 AND last_login IS NULL RETURNING ",
            iso_date!("date_joined")
        ),
        &params![user_id, now],
    )?
    .value()
}

#[cfg(test)]
mod tests;
