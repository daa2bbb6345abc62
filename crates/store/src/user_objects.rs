//! The user object of the wire (docs/protocol/users.md#user-object), built by SQLite as JSON in one
//! place for the snapshot, the listings and the event, so that they cannot drift apart.
//!
//! Who may see an address, and whether the viewer sees all users, is decided by the caller and
//! passed in a [`Viewer`]. A user whom the viewer may not see is left out of every list, or, in
//! the snapshot of old clients, is there without a name.

use spindle_domain::{RealmId, SYSTEM_REALM, UserId};

use crate::profile_values::profile_json;
use crate::user_access::seen_by;
use crate::users::{avatar_url, iso_date};
use crate::{Db, DbError, Value, either, params, row_struct, sql};

/// Whether the viewer may see the real address of `u`.
macro_rules! sees_address {
    () => {
        "(u.id = ?2 OR CAST(coalesce(u.settings ->> 'email_address_visibility', '1') AS BIGINT) \
             IN (SELECT value FROM json_ids(?3)))"
    };
}

/// The user object, as JSON text; `$more` are further members. Built as text: there may be tens of thousands, and each
/// value that is JSON already would be parsed on its way into `json_object`.
macro_rules! user_object {
    ($more:literal) => {
        concat!(
            "concat('{\"user_id\":', u.id, ',\"email\":', json_quote(u.email), \
             ',\"full_name\":', json_quote(u.full_name), ',\"date_joined\":\"', ",
            iso_date!("u.date_joined"),
            ", '\",\"is_owner\":', iif(u.role = 100, 'true', 'false'), \
             ',\"is_admin\":', iif(u.role <= 200, 'true', 'false'), \
             ',\"is_guest\":', iif(u.role = 600, 'true', 'false'), \
             ',\"is_bot\":', iif(u.is_bot, 'true', 'false'), \
             ',\"is_imported_stub\":', iif(u.is_imported_stub, 'true', 'false'), ",
            $more,
            "',\"delivery_email\":', iif(",
            sees_address!(),
            ", json_quote(u.delivery_email), 'null'), ',\"role\":', u.role, \
             ',\"timezone\":', json_quote(u.timezone), ',\"avatar_version\":', u.avatar_version, \
             iif(?7:bigint = 1 AND u.is_active = 0, '', ',\"avatar_url\":' || \
                 iif(?4:bigint = 1 AND u.avatar_source = 'G' AND ",
            sees_address!(),
            ", 'null', json_quote(",
            avatar_url!("u"),
            "))), iif(u.is_bot, ',\"bot_type\":' || u.bot_type || ',\"bot_owner_id\":' \
             || coalesce(CAST(u.bot_owner_id AS TEXT), 'null'), \
             iif(?5:bigint = 1, ',\"profile_data\":' || ",
            profile_json!("u.id"),
            ", '')), '}')"
        )
    };
}

/// As `is_active` in the objects of GET /users, GET /users/{user_id} and the event.
macro_rules! with_is_active {
    () => {
        user_object!("',\"is_active\":', iif(u.is_active, 'true', 'false'), ")
    };
}

/// How user objects are to look to one viewer.
#[derive(Debug, Clone)]
pub struct Viewer<'a> {
    pub realm_id: RealmId,
    /// The viewer, who sees their own address whatever its visibility; `None` for a view that is no user's.
    pub user_id: Option<UserId>,
    /// JSON list of the values of `email_address_visibility` that let this viewer see an address.
    pub visibility_levels: &'a str,
    /// Whether the client computes the addresses of gravatars itself.
    pub client_gravatar: bool,
    /// Whether the values of profile fields are included, for people.
    pub profile_data: bool,
    /// False for guests who see only bots and users with whom they share a conversation.
    pub sees_all_users: bool,
    /// Whether the avatars of deactivated accounts are left out
    /// (`user_avatar_url_field_optional`): few of them are ever shown.
    pub avatar_optional: bool,
}

impl Viewer<'_> {
    fn params(&self) -> [Value; 7] {
        params![
            self.realm_id,
            self.user_id.map_or(0, UserId::get),
            self.visibility_levels,
            self.client_gravatar,
            self.profile_data,
            self.sees_all_users,
            self.avatar_optional,
        ]
    }

    /// The parameters that [`seen_by!`] needs.
    pub(crate) fn who(&self) -> [Value; 6] {
        let [realm, user, levels, gravatar, profile, all_users, _] = self.params();
        [realm, user, levels, gravatar, profile, all_users]
    }

    fn with(&self, more: impl Into<Value>) -> Vec<Value> {
        let mut all = self.params().to_vec();
        all.push(more.into());
        all
    }
}

/// How a snapshot shows users whom the viewer may not see.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hidden<'a> {
    /// They are left out (`user_list_incomplete`).
    Omitted,
    /// They are among the active users, without a name; the text is the domain of their address.
    Unknown(&'a str),
}

/// The JSON object in place of a user whom the viewer may not see; `?8` is the domain.
macro_rules! unknown_user {
    () => {
        concat!(
            "rtrim(json_object('user_id', u.id, 'email', 'user' || u.id || '@' || ?8:text, \
             'full_name', 'Unknown user', 'date_joined', ",
            iso_date!("(SELECT date_created FROM realms WHERE id = ?1)"),
            ", 'is_owner', json('false'), 'is_admin', json('false'), 'is_guest', json('false'), \
             'is_bot', json('false'), 'is_imported_stub', json('false'), 'role', 400, \
             'delivery_email', NULL, 'timezone', '', 'avatar_url', '/avatar/0', \
             'avatar_version', 1), '}') || ',\"profile_data\":{}}'"
        )
    };
}

row_struct! {
    /// User objects without `is_active` (register), as JSON lists by id.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct UserLists {
        /// Of active accounts.
        pub active: String,
        /// Of deactivated accounts.
        pub deactivated: String,
    }
}

impl Default for UserLists {
    fn default() -> Self {
        Self {
            active: "[]".to_owned(),
            deactivated: "[]".to_owned(),
        }
    }
}

/// The order of the objects in an aggregate. SQLite would sort copies of all of them: there they come from a walk over all
/// users, which is in this order. `+` keeps it from walking an index instead, and `LIMIT -1` from forgetting the order.
macro_rules! in_order {
    () => {
        either!("", " ORDER BY u.id")
    };
}

/// The user objects of all accounts.
pub fn objects(db: &dyn Db, viewer: &Viewer<'_>, hidden: Hidden<'_>) -> Result<UserLists, DbError> {
    let domain = match hidden {
        Hidden::Omitted => None,
        Hidden::Unknown(domain) => Some(domain),
    };
    db.query(
        sql!(
            "SELECT '[' || coalesce(group_concat(u.object, ','",
            in_order!(),
            ") FILTER (WHERE u.is_active = 1), '') || ']' AS active, \
             '[' || coalesce(group_concat(u.object, ','",
            in_order!(),
            ") FILTER (WHERE u.is_active = 0), '') || ']' AS deactivated \
             FROM (SELECT u.id, iif(u.is_seen, u.is_active, 1) AS is_active, iif(u.is_seen, ",
            user_object!(""),
            ", ",
            unknown_user!(),
            ") AS object FROM (SELECT u.id, u.realm_id, u.email, u.delivery_email, \
             u.full_name, u.role, u.is_active, u.is_bot, u.bot_type, u.bot_owner_id, \
             u.is_imported_stub, u.date_joined, u.timezone, u.avatar_source, u.avatar_version, \
             u.avatar_name, u.settings, ",
            seen_by!(),
            " AS is_seen FROM users u WHERE +u.realm_id = ?1) u \
             WHERE u.is_seen OR ?8:text IS NOT NULL ORDER BY u.id LIMIT -1) u"
        ),
        &viewer.with(domain),
    )?
    .one()
}

/// JSON list of the user objects of the system bots, by id (`cross_realm_bots`).
pub fn system_bots(db: &dyn Db) -> Result<String, DbError> {
    let viewer = Viewer {
        realm_id: SYSTEM_REALM,
        user_id: None,
        visibility_levels: "[1]",
        client_gravatar: false,
        profile_data: false,
        sees_all_users: true,
        avatar_optional: false,
    };
    db.query(
        sql!(
            "SELECT '[' || coalesce(group_concat(",
            user_object!("',\"is_system_bot\":true', "),
            ", ',' ORDER BY u.id), '') || ']' FROM users u WHERE u.realm_id = ?1 AND (?6:bigint = 1 OR true)"
        ),
        &viewer.params(),
    )?
    .one_value()
}

/// JSON list of the user objects with `is_active` of all accounts that the viewer sees, by id;
/// `only` is a JSON list of ids that confines it (docs/protocol/users.md#get_users).
pub fn members(db: &dyn Db, viewer: &Viewer<'_>, only: Option<&str>) -> Result<String, DbError> {
    db.query(
        sql!(
            "SELECT '[' || coalesce(group_concat(u.object, ','",
            in_order!(),
            "), '') || ']' FROM (SELECT u.id, ",
            with_is_active!(),
            " AS object FROM users u WHERE +u.realm_id = ?1 \
             AND (?8:text IS NULL OR u.id IN (SELECT value FROM json_ids(?8))) AND ",
            seen_by!(),
            " ORDER BY u.id LIMIT -1) u"
        ),
        &viewer.with(only),
    )?
    .one_value()
}

/// The user object of one account with `is_active`, as JSON text. Whether the viewer may see
/// the account is for the caller to find out.
pub fn member(
    db: &dyn Db,
    viewer: &Viewer<'_>,
    user_id: UserId,
) -> Result<Option<String>, DbError> {
    db.query(
        sql!(
            "SELECT ",
            with_is_active!(),
            " FROM users u WHERE u.realm_id = ?1 AND u.id = ?8 AND (?6:bigint = 1 OR true)"
        ),
        &viewer.with(user_id),
    )?
    .value()
}

/// The object in place of an account for viewers who may not see it, with `is_active`, as JSON text.
pub fn unknown(
    db: &dyn Db,
    realm_id: RealmId,
    user_id: UserId,
    domain: &str,
) -> Result<String, DbError> {
    db.query(
        sql!(
            "SELECT rtrim(",
            unknown_user!(),
            ", '}') || '},\"is_active\":true}' FROM users u WHERE u.realm_id = ?1 AND u.id = ?2",
            // The types of parameters that nothing uses.
            either!(
                "",
                " AND coalesce(?3:text, ?4:text, ?5:text, ?6:text, ?7:text) IS NULL"
            )
        ),
        &params![
            realm_id,
            user_id,
            None::<&str>,
            None::<&str>,
            None::<&str>,
            None::<&str>,
            None::<&str>,
            domain
        ],
    )?
    .one_value()
}

#[cfg(test)]
mod tests;
