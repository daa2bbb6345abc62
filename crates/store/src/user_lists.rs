//! Lists and counts of accounts: recipients of a message, the active among given ids, owners.
//!
//! Owns the statements that read `users` for more than one account. Single rows and their changes
//! are in [`crate::users`], user objects of the wire in [`crate::user_objects`].

use spindle_domain::{RealmId, Role, UserId};

use crate::{Db, DbError, params, row_struct, sql};

row_struct! {
    /// A recipient of a direct message.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct RecipientRow {
        pub id: UserId,
        /// API email.
        pub email: String,
        /// API email, folded.
        pub email_folded: String,
        pub full_name: String,
        /// False once deactivated.
        pub is_active: bool,
        /// Whether it is a bot.
        pub is_bot: bool,
        /// Whether they hold `direct_message_permission_group` of the organization.
        pub holds_permission: bool,
    }
}

/// Finds people by a JSON list of ids and one of folded API emails, by id; system bots too.
pub fn recipients(
    db: &dyn Db,
    realm_id: RealmId,
    ids: &str,
    emails_folded: &str,
) -> Result<Vec<RecipientRow>, DbError> {
    db.query(
        sql!(
            "SELECT u.id, u.email, u.email_folded, u.full_name, u.is_active, u.is_bot, \
             EXISTS (SELECT 1 FROM group_settings s \
                 JOIN user_group_closure c ON c.supergroup_id = s.group_id \
                 JOIN user_group_members m ON m.group_id = c.subgroup_id AND m.user_id = u.id \
                 WHERE s.owner_type = 'realm' AND s.owner_id = ?1 \
                 AND s.name = 'direct_message_permission_group') AS holds_permission \
             FROM users u WHERE u.id IN (SELECT value FROM json_ids(?2) \
                 UNION ALL SELECT named.id FROM users named WHERE named.realm_id IN (?1, 0) \
                     AND named.email_folded IN (SELECT value FROM json_texts(?3))) \
                 AND +u.realm_id IN (?1, 0) ORDER BY u.id"
        ),
        &params![realm_id, ids, emails_folded],
    )?
    .all()
}

/// Those of the listed users (JSON list of ids) who are active, by id.
pub fn active_among(db: &dyn Db, realm_id: RealmId, ids: &str) -> Result<Vec<UserId>, DbError> {
    // The plus keeps SQLite from walking all users by name instead of finding these by id.
    db.query(
        sql!(
            "SELECT id FROM users WHERE id IN (SELECT value FROM json_ids(?2)) \
             AND +realm_id = ?1 AND is_active = 1 ORDER BY id"
        ),
        &params![realm_id, ids],
    )?
    .values()
}

row_struct! {
    /// The role of an account.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct RoleRow {
        pub user_id: UserId,
        pub role: Role,
    }
}

/// Roles of all active accounts, by id.
pub fn active_roles(db: &dyn Db, realm_id: RealmId) -> Result<Vec<RoleRow>, DbError> {
    db.query(
        sql!(
            "SELECT id AS user_id, role FROM users WHERE realm_id = ?1 AND is_active = 1 ORDER BY id"
        ),
        &params![realm_id],
    )?
    .all()
}

/// Roles of the active accounts in a JSON list of ids, and of those in groups (JSON list of ids) or their subgroups,
/// however deep; by id.
pub fn roles_of(
    db: &dyn Db,
    realm_id: RealmId,
    user_ids: &str,
    group_ids: &str,
) -> Result<Vec<RoleRow>, DbError> {
    db.query(
        sql!(
            "SELECT id AS user_id, role FROM users WHERE realm_id = ?1 AND is_active = 1 AND id IN ( \
                 SELECT value FROM json_ids(?2) UNION SELECT m.user_id FROM json_ids(?3) g \
                 JOIN user_group_closure c ON c.supergroup_id = g.value \
                 JOIN user_group_members m ON m.group_id = c.subgroup_id) ORDER BY id"
        ),
        &params![realm_id, user_ids, group_ids],
    )?
    .all()
}

row_struct! {
    /// The real address of a user.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct AddressRow {
        pub user_id: UserId,
        /// Address.
        pub delivery_email: String,
    }
}

/// Real addresses of the users whose `email_address_visibility` is stored and among the values in
/// a JSON list, by id; at most `most`.
pub fn confined_addresses(
    db: &dyn Db,
    realm_id: RealmId,
    levels: &str,
    most: i64,
) -> Result<Vec<AddressRow>, DbError> {
    db.query(
        sql!(
            "SELECT id AS user_id, delivery_email FROM users WHERE realm_id = ?1 \
             AND settings ->> 'email_address_visibility' IN (SELECT value FROM json_texts(?2)) \
             ORDER BY id LIMIT ?3"
        ),
        &params![realm_id, levels, most],
    )?
    .all()
}

/// Names of all accounts, but for one that may be given.
pub fn other_names(
    db: &dyn Db,
    realm_id: RealmId,
    except: Option<UserId>,
) -> Result<Vec<String>, DbError> {
    db.query(
        sql!("SELECT full_name FROM users WHERE realm_id = ?1 AND id IS DISTINCT FROM ?2"),
        &params![realm_id, except],
    )?
    .values()
}

/// Those of the ids in a JSON list that are active people of the organization, ascending.
pub fn active_people_among(
    db: &dyn Db,
    realm_id: RealmId,
    ids: &str,
) -> Result<Vec<UserId>, DbError> {
    db.query(
        sql!(
            "SELECT id FROM users WHERE realm_id = ?1 AND is_active = 1 AND is_bot = 0 \
             AND id IN (SELECT value FROM json_ids(?2)) ORDER BY id"
        ),
        &params![realm_id, ids],
    )?
    .values()
}

/// The active bots among the accounts of a JSON list of ids.
pub fn active_bots_among(db: &dyn Db, ids: &str) -> Result<Vec<UserId>, DbError> {
    db.query(
        sql!(
            "SELECT id FROM users WHERE id IN (SELECT value FROM json_ids(?1)) AND is_bot = 1 AND is_active = 1"
        ),
        &params![ids],
    )?
    .values()
}

/// Ids of the active bots that a user owns.
pub fn active_bots_of(db: &dyn Db, owner_id: UserId) -> Result<Vec<UserId>, DbError> {
    db.query(
        sql!("SELECT id FROM users WHERE bot_owner_id = ?1 AND is_active = 1 AND is_bot = 1 ORDER BY id"),
        &params![owner_id],
    )?
    .values()
}

/// Ids of all bots that a user owns, deactivated ones included.
pub fn bots_of(db: &dyn Db, owner_id: UserId) -> Result<Vec<UserId>, DbError> {
    db.query(
        sql!("SELECT id FROM users WHERE bot_owner_id = ?1 AND is_bot = 1 ORDER BY id"),
        &params![owner_id],
    )?
    .values()
}

/// Number of active people.
pub fn count_active_people(db: &dyn Db, realm_id: RealmId) -> Result<i64, DbError> {
    db.query(
        sql!("SELECT count(*) FROM users WHERE realm_id = ?1 AND is_active = 1 AND is_bot = 0"),
        &params![realm_id],
    )?
    .one_value()
}

/// How many active people there are besides one.
pub fn count_others(
    db: &dyn Db,
    realm_id: RealmId,
    except_user_id: UserId,
) -> Result<i64, DbError> {
    db.query(
        sql!("SELECT count(*) FROM users WHERE realm_id = ?1 AND id <> ?2 AND is_active = 1 AND is_bot = 0"),
        &params![realm_id, except_user_id],
    )?
    .one_value()
}

row_struct! {
    /// When an account was last in use.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct ActivityRow {
        pub user_id: UserId,
        /// UNIX seconds.
        pub last: i64,
    }
}

/// When each account was last seen by a client, used in a browser, or first signed in to; those that never were are
/// left out.
pub fn last_activity(db: &dyn Db) -> Result<Vec<ActivityRow>, DbError> {
    db.query(
        sql!(
            "SELECT user_id, max(seen) AS last FROM ( \
                 SELECT user_id, idle_timestamp AS seen FROM presences WHERE idle_timestamp > 0 \
                 UNION ALL SELECT user_id, last_used FROM sessions \
                 UNION ALL SELECT id, last_login FROM users WHERE last_login IS NOT NULL \
             ) AS signs GROUP BY user_id ORDER BY user_id"
        ),
        &[],
    )?
    .all()
}

/// The active people who are owners, by id, at most `most`.
pub fn active_owners(db: &dyn Db, realm_id: RealmId, most: i64) -> Result<Vec<UserId>, DbError> {
    db.query(
        sql!(
            "SELECT id FROM users WHERE realm_id = ?1 AND role = 100 AND is_active = 1 \
             AND is_bot = 0 ORDER BY id LIMIT ?2"
        ),
        &params![realm_id, most],
    )?
    .values()
}

/// Number of active people who are owners, apart from `except_user_id`.
pub fn count_other_owners(
    db: &dyn Db,
    realm_id: RealmId,
    except_user_id: UserId,
) -> Result<i64, DbError> {
    db.query(
        sql!(
            "SELECT count(*) FROM users WHERE realm_id = ?1 AND id <> ?2 AND role = 100 \
             AND is_active = 1 AND is_bot = 0"
        ),
        &params![realm_id, except_user_id],
    )?
    .one_value()
}
