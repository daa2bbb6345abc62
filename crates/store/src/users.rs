//! Accounts of people and bots.
//!
//! Owns the rows of `users` and `user_permissions`. User objects of the wire are built by
//! SQLite as JSON, one form for the snapshot, the listing and the event, so that they cannot
//! drift apart. Who may see an address is decided by the caller, who passes the visibility
//! levels that the viewer is entitled to.

use crate::{Db, DbError, Row, params};

/// How dates of joining are written (ISO 8601 with offset).
macro_rules! iso_date {
    ($column:literal) => {
        concat!(
            "strftime('%Y-%m-%dT%H:%M:%S+00:00', ",
            $column,
            ", 'unixepoch')"
        )
    };
}
pub(crate) use iso_date;

/// Where an avatar is served; the version defeats caches.
macro_rules! avatar_url {
    ($alias:literal) => {
        concat!(
            "'/avatar/' || ",
            $alias,
            ".id || '?version=' || ",
            $alias,
            ".avatar_version"
        )
    };
}
pub(crate) use avatar_url;

/// What a new account starts with.
#[derive(Debug, Clone, Default)]
pub struct NewUser<'a> {
    /// Organization.
    pub realm_id: i64,
    /// API email.
    pub email: &'a str,
    /// API email, folded for comparison.
    pub email_folded: &'a str,
    /// Real address.
    pub delivery_email: &'a str,
    /// Real address, folded.
    pub delivery_email_folded: &'a str,
    /// Name.
    pub full_name: &'a str,
    /// Name, folded.
    pub full_name_folded: &'a str,
    /// Role as its integer.
    pub role: i64,
    /// 1 to 4 for bots.
    pub bot_type: Option<i64>,
    /// Owner of a bot.
    pub bot_owner_id: Option<i64>,
    /// Imported from another chat system and never logged in.
    pub is_imported_stub: bool,
    /// UNIX seconds.
    pub date_joined: i64,
    /// argon2id as PHC string.
    pub password_hash: Option<&'a str>,
}

/// An account as rules look at it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserRow {
    /// Row id.
    pub id: i64,
    /// Organization.
    pub realm_id: i64,
    /// API email.
    pub email: String,
    /// Real address.
    pub delivery_email: String,
    /// Name.
    pub full_name: String,
    /// Role as its integer.
    pub role: i64,
    /// False once deactivated.
    pub is_active: bool,
    /// Whether it is a bot.
    pub is_bot: bool,
    /// Owner of a bot.
    pub bot_owner_id: Option<i64>,
    /// Imported and never logged in.
    pub is_imported_stub: bool,
    /// UNIX seconds.
    pub date_joined: i64,
    /// UNIX seconds; none before the first login.
    pub last_login: Option<i64>,
    /// argon2id as PHC string.
    pub password_hash: Option<String>,
    /// JSON object of the settings that differ from their defaults.
    pub settings: String,
}

macro_rules! user_columns {
    () => {
        "SELECT id, realm_id, email, delivery_email, full_name, role, is_active, is_bot, \
         bot_owner_id, is_imported_stub, date_joined, last_login, password_hash, settings FROM users "
    };
}

fn read(row: &mut Row<'_>) -> Result<UserRow, DbError> {
    Ok(UserRow {
        id: row.integer()?,
        realm_id: row.integer()?,
        email: row.text()?,
        delivery_email: row.text()?,
        full_name: row.text()?,
        role: row.integer()?,
        is_active: row.flag()?,
        is_bot: row.flag()?,
        bot_owner_id: row.optional_integer()?,
        is_imported_stub: row.flag()?,
        date_joined: row.integer()?,
        last_login: row.optional_integer()?,
        password_hash: row.optional_text()?,
        settings: row.text()?,
    })
}

/// Creates an account; returns its id.
///
/// # Errors
/// [`DbError::NotUnique`] when the address is taken.
pub fn insert(db: &dyn Db, new: &NewUser<'_>) -> Result<i64, DbError> {
    db.execute(
        "INSERT INTO users (realm_id, email, email_folded, delivery_email, delivery_email_folded, \
         full_name, full_name_folded, role, is_bot, bot_type, bot_owner_id, is_imported_stub, \
         date_joined, password_hash) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14) RETURNING id",
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
    .read_one(|row| row.integer())
}

/// Finds an account by id.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn by_id(db: &dyn Db, realm_id: i64, user_id: i64) -> Result<Option<UserRow>, DbError> {
    db.execute(
        concat!(user_columns!(), "WHERE realm_id = ?1 AND id = ?2"),
        &params![realm_id, user_id],
    )?
    .read_first(read)
}

/// Finds an account by its API email or its real address, both folded.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn by_email(
    db: &dyn Db,
    realm_id: i64,
    email_folded: &str,
) -> Result<Option<UserRow>, DbError> {
    db.execute(
        concat!(
            user_columns!(),
            "WHERE realm_id = ?1 AND (email_folded = ?2 OR delivery_email_folded = ?2) \
             ORDER BY email_folded <> ?2 LIMIT 1"
        ),
        &params![realm_id, email_folded],
    )?
    .read_first(read)
}

/// All accounts, by id.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn list(db: &dyn Db, realm_id: i64) -> Result<Vec<UserRow>, DbError> {
    db.execute(
        concat!(user_columns!(), "WHERE realm_id = ?1 ORDER BY id"),
        &params![realm_id],
    )?
    .read_all(read)
}

/// Somebody whom a direct message is to reach.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecipientRow {
    /// Account.
    pub id: i64,
    /// API email.
    pub email: String,
    /// API email, folded.
    pub email_folded: String,
    /// Name.
    pub full_name: String,
    /// False once deactivated.
    pub is_active: bool,
    /// Whether it is a bot.
    pub is_bot: bool,
    /// Whether they hold `direct_message_permission_group` of the organization.
    pub holds_permission: bool,
}

/// Finds people by a JSON list of ids and one of folded API emails, by id.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn recipients(
    db: &dyn Db,
    realm_id: i64,
    ids: &str,
    emails_folded: &str,
) -> Result<Vec<RecipientRow>, DbError> {
    db.execute(
        "SELECT u.id, u.email, u.email_folded, u.full_name, u.is_active, u.is_bot, \
         EXISTS (SELECT 1 FROM group_settings s \
             JOIN user_group_closure c ON c.supergroup_id = s.group_id \
             JOIN user_group_members m ON m.group_id = c.subgroup_id AND m.user_id = u.id \
             WHERE s.owner_type = 'realm' AND s.owner_id = ?1 \
             AND s.name = 'direct_message_permission_group') \
         FROM users u WHERE u.realm_id = ?1 AND (u.id IN (SELECT value FROM json_each(?2)) \
             OR u.email_folded IN (SELECT value FROM json_each(?3))) ORDER BY u.id",
        &params![realm_id, ids, emails_folded],
    )?
    .read_all(|row| {
        Ok(RecipientRow {
            id: row.integer()?,
            email: row.text()?,
            email_folded: row.text()?,
            full_name: row.text()?,
            is_active: row.flag()?,
            is_bot: row.flag()?,
            holds_permission: row.flag()?,
        })
    })
}

/// Whether two users are in a channel or in a direct conversation together.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn share_conversation(db: &dyn Db, one: i64, other: i64) -> Result<bool, DbError> {
    db.execute(
        "SELECT EXISTS (SELECT 1 FROM subscriptions a JOIN subscriptions b \
             ON b.channel_id = a.channel_id AND b.user_id = ?2 AND b.active = 1 \
             WHERE a.user_id = ?1 AND a.active = 1) \
         OR EXISTS (SELECT 1 FROM conversation_members a JOIN conversation_members b \
             ON b.conversation_id = a.conversation_id AND b.user_id = ?2 WHERE a.user_id = ?1)",
        &params![one, other],
    )?
    .read_one(|row| row.flag())
}

/// Those of the listed users (JSON list of ids) who are active, by id.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn active_among(db: &dyn Db, realm_id: i64, ids: &str) -> Result<Vec<i64>, DbError> {
    db.execute(
        "SELECT id FROM users WHERE id IN (SELECT value FROM json_each(?2)) \
         AND realm_id = ?1 AND is_active = 1 ORDER BY id",
        &params![realm_id, ids],
    )?
    .read_all(|row| row.integer())
}

/// Ids and roles of all active accounts, by id.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn active_roles(db: &dyn Db, realm_id: i64) -> Result<Vec<(i64, i64)>, DbError> {
    db.execute(
        "SELECT id, role FROM users WHERE realm_id = ?1 AND is_active = 1 ORDER BY id",
        &params![realm_id],
    )?
    .read_all(|row| Ok((row.integer()?, row.integer()?)))
}

/// Activates or deactivates an account.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn set_active(db: &dyn Db, user_id: i64, is_active: bool) -> Result<(), DbError> {
    db.execute(
        "UPDATE users SET is_active = ?2 WHERE id = ?1",
        &params![user_id, is_active],
    )?;
    Ok(())
}

/// Changes the role.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn set_role(db: &dyn Db, user_id: i64, role: i64) -> Result<(), DbError> {
    db.execute(
        "UPDATE users SET role = ?2 WHERE id = ?1",
        &params![user_id, role],
    )?;
    Ok(())
}

/// Stores one personal setting; `value` is JSON text.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn set_setting(db: &dyn Db, user_id: i64, name: &str, value: &str) -> Result<(), DbError> {
    db.execute(
        "UPDATE users SET settings = json_set(settings, '$.' || json_quote(?2), json(?3)) WHERE id = ?1",
        &params![user_id, name, value],
    )?;
    Ok(())
}

/// Records a first login. Returns the new date of joining (ISO 8601), or none when the
/// account had logged in before, so that only one of two racing requests tells of it.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn record_first_login(db: &dyn Db, user_id: i64, now: i64) -> Result<Option<String>, DbError> {
    db.execute(
        concat!(
            "UPDATE users SET last_login = ?2, date_joined = ?2, is_imported_stub = 0 \
             WHERE id = ?1 AND last_login IS NULL RETURNING ",
            iso_date!("date_joined")
        ),
        &params![user_id, now],
    )?
    .read_first(|row| row.text())
}

/// Number of active people who are owners, apart from `except_user_id`.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn count_other_owners(db: &dyn Db, realm_id: i64, except_user_id: i64) -> Result<i64, DbError> {
    db.execute(
        "SELECT count(*) FROM users WHERE realm_id = ?1 AND id <> ?2 AND role = 100 \
         AND is_active = 1 AND is_bot = 0",
        &params![realm_id, except_user_id],
    )?
    .read_one(|row| row.integer())
}

/// Gives or takes a special permission; returns whether anything changed.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn set_permission(
    db: &dyn Db,
    user_id: i64,
    permission: &str,
    granted: bool,
) -> Result<bool, DbError> {
    let sql = if granted {
        "INSERT INTO user_permissions (user_id, permission) VALUES (?1, ?2) \
         ON CONFLICT DO NOTHING RETURNING 1"
    } else {
        "DELETE FROM user_permissions WHERE user_id = ?1 AND permission = ?2 RETURNING 1"
    };
    let rows = db.execute(sql, &params![user_id, permission])?;
    Ok(!rows.rows.is_empty())
}

/// Whether the account holds a special permission.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn has_permission(db: &dyn Db, user_id: i64, permission: &str) -> Result<bool, DbError> {
    let rows = db.execute(
        "SELECT 1 FROM user_permissions WHERE user_id = ?1 AND permission = ?2",
        &params![user_id, permission],
    )?;
    Ok(!rows.rows.is_empty())
}

/// The user object of the wire, without `is_active`, as JSON text. The last value before the
/// tail is no object, so that `rtrim` takes away exactly one brace.
macro_rules! user_object {
    () => {
        concat!(
            "rtrim(json_object('user_id', u.id, 'email', u.email, 'full_name', u.full_name, \
             'date_joined', ", iso_date!("u.date_joined"), ", \
             'is_owner', json(iif(u.role = 100, 'true', 'false')), \
             'is_admin', json(iif(u.role <= 200, 'true', 'false')), \
             'is_guest', json(iif(u.role = 600, 'true', 'false')), \
             'is_bot', json(iif(u.is_bot, 'true', 'false')), \
             'is_imported_stub', json(iif(u.is_imported_stub, 'true', 'false')), \
             'role', u.role, 'timezone', u.timezone, 'avatar_version', u.avatar_version, \
             'delivery_email', iif(u.id = ?2 OR coalesce(u.settings ->> 'email_address_visibility', 1) \
                 IN (SELECT value FROM json_each(?3)), u.delivery_email, NULL), \
             'avatar_url', iif(?4 AND u.avatar_source = 'G', NULL, ", avatar_url!("u"), ")), '}') \
             || iif(u.is_bot, ',\"bot_type\":' || u.bot_type || ',\"bot_owner_id\":' \
             || coalesce(u.bot_owner_id, 'null'), ',\"profile_data\":{}') || '}'"
        )
    };
}

/// How user objects are to look to one viewer.
#[derive(Debug, Clone)]
pub struct Viewer<'a> {
    /// Organization.
    pub realm_id: i64,
    /// The viewer; sees the own address whatever its visibility.
    pub user_id: i64,
    /// JSON list of the values of `email_address_visibility` that let this viewer see an address.
    pub visibility_levels: &'a str,
    /// Whether the client computes the addresses of gravatars itself.
    pub client_gravatar: bool,
}

impl Viewer<'_> {
    fn params(&self) -> [crate::Value; 4] {
        params![
            self.realm_id,
            self.user_id,
            self.visibility_levels,
            self.client_gravatar
        ]
    }
}

/// JSON lists of the user objects of active and of deactivated accounts, by id.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn objects(db: &dyn Db, viewer: &Viewer<'_>) -> Result<(String, String), DbError> {
    let rows = db.execute(
        concat!(
            "SELECT u.is_active, '[' || group_concat(",
            user_object!(),
            ", ',' ORDER BY u.id) || ']' FROM users u WHERE u.realm_id = ?1 GROUP BY u.is_active"
        ),
        &viewer.params(),
    )?;
    let mut lists = ("[]".to_owned(), "[]".to_owned());
    for (is_active, list) in rows.read_all(|row| Ok((row.flag()?, row.text()?)))? {
        if is_active {
            lists.0 = list;
        } else {
            lists.1 = list;
        }
    }
    Ok(lists)
}

/// The user object of one account as JSON text, without `is_active`.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn object(db: &dyn Db, viewer: &Viewer<'_>, user_id: i64) -> Result<Option<String>, DbError> {
    let [realm_id, viewer_id, levels, client_gravatar] = viewer.params();
    db.execute(
        concat!(
            "SELECT ",
            user_object!(),
            " FROM users u WHERE u.realm_id = ?1 AND u.id = ?5"
        ),
        &[realm_id, viewer_id, levels, client_gravatar, user_id.into()],
    )?
    .read_first(|row| row.text())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, TestDatabase};

    #[test]
    fn accounts_are_found_by_either_address() {
        let database = TestDatabase::with_realm();
        let db = database.db();
        let id = testing::add_user(&db, "ann@x.org");
        assert_eq!(by_email(&db, 1, "ann@x.org").unwrap().unwrap().id, id);
        assert_eq!(by_email(&db, 1, "bob@x.org"), Ok(None));
        assert_eq!(by_id(&db, 2, id), Ok(None));
    }

    #[test]
    fn the_first_login_counts_once() {
        let database = TestDatabase::with_realm();
        let db = database.db();
        let id = testing::add_user(&db, "ann@x.org");
        assert_eq!(
            record_first_login(&db, id, 86_400),
            Ok(Some("1970-01-02T00:00:00+00:00".into()))
        );
        assert_eq!(record_first_login(&db, id, 99_999), Ok(None));
        assert_eq!(by_id(&db, 1, id).unwrap().unwrap().date_joined, 86_400);
    }

    #[test]
    fn objects_hide_addresses_and_tell_of_bots() {
        let database = TestDatabase::with_realm();
        let db = database.db();
        let ann = testing::add_user(&db, "ann@x.org");
        let bob = testing::add_user(&db, "bob@x.org");
        let bot = testing::add_bot(&db, "bot@x.org");
        set_setting(&db, ann, "email_address_visibility", "3").unwrap();
        set_active(&db, bob, false).unwrap();
        let viewer = Viewer {
            realm_id: 1,
            user_id: bot,
            visibility_levels: "[1,2]",
            client_gravatar: true,
        };
        let (active, inactive) = objects(&db, &viewer).unwrap();
        let active: serde_json::Value = serde_json::from_str(&active).unwrap();
        let inactive: serde_json::Value = serde_json::from_str(&inactive).unwrap();
        assert_eq!(active[0]["user_id"], ann);
        assert_eq!(active[0]["delivery_email"], serde_json::Value::Null);
        assert_eq!(active[0]["profile_data"], serde_json::json!({}));
        assert_eq!(active[0].get("bot_type"), None);
        assert_eq!(active[1]["bot_type"], 1);
        assert_eq!(active[1]["bot_owner_id"], serde_json::Value::Null);
        assert_eq!(active[1].get("profile_data"), None);
        assert_eq!(inactive[0]["delivery_email"], "bob@x.org");
        assert_eq!(inactive[0]["is_guest"], false);
        let one = object(&db, &viewer, bob).unwrap().unwrap();
        assert_eq!(
            serde_json::from_str::<serde_json::Value>(&one).unwrap(),
            inactive[0]
        );
    }

    #[test]
    fn special_permissions() {
        let database = TestDatabase::with_realm();
        let db = database.db();
        let id = testing::add_user(&db, "ann@x.org");
        assert_eq!(set_permission(&db, id, "can_create_users", true), Ok(true));
        assert_eq!(set_permission(&db, id, "can_create_users", true), Ok(false));
        assert_eq!(has_permission(&db, id, "can_create_users"), Ok(true));
        assert_eq!(set_permission(&db, id, "can_create_users", false), Ok(true));
        assert_eq!(has_permission(&db, id, "can_create_users"), Ok(false));
    }
}
