//! Permissions held by groups: of the organization, of a group, of a channel.
//!
//! Owns `group_settings` and the JSON form of a group-setting value. Whether a value may be
//! given to a permission is decided by `spindle-domain`; here it is only stored and read.

use spindle_domain::{ChannelId, GroupId, RealmId, UserId};

use crate::{Db, DbError, FromRow, Row, WriteTx, params, row_struct, sql, statement};

/// A value of a permission as JSON: the id of a named group, or an object that lists active
/// members and subgroups. Expects `user_groups v`.
macro_rules! value_json {
    () => {
        concat!(
            "iif(v.name IS NOT NULL, ",
            crate::either!("v.id", "to_json(v.id)"),
            ", json_object('direct_members', \
             json((SELECT json_group_array(vm.user_id ORDER BY vm.user_id) \
                 FROM user_group_members vm JOIN users vu ON vu.id = vm.user_id \
                 WHERE vm.group_id = v.id AND vu.is_active = 1)), 'direct_subgroups', \
             json((SELECT json_group_array(vs.subgroup_id ORDER BY vs.subgroup_id) \
                 FROM user_group_subgroups vs WHERE vs.supergroup_id = v.id))))"
        )
    };
}

/// The permissions of one owner as members of a JSON object, each with a comma before it:
/// text that is spliced into an object under construction.
macro_rules! members_of_object {
    ($owner_type:literal, $owner_id:literal) => {
        concat!(
            "coalesce((SELECT group_concat(',\"' || s.name || '\":' || ",
            crate::group_settings::value_json!(),
            ", '') FROM group_settings s JOIN user_groups v ON v.id = s.group_id \
             WHERE s.owner_type = ",
            $owner_type,
            " AND s.owner_id = ",
            $owner_id,
            "), '')"
        )
    };
}

/// Ids of every group that `$user` is in, however deep the nesting.
macro_rules! groups_of_user {
    ($user:literal) => {
        concat!(
            "(SELECT gc.supergroup_id FROM user_group_members gm JOIN user_group_closure gc \
             ON gc.subgroup_id = gm.group_id WHERE gm.user_id = ",
            $user,
            ")"
        )
    };
}

/// As [`groups_of_user!`]; if the parameter `$lowered` is 1, a full member takes the place of a moderator, an
/// administrator or an owner.
macro_rules! groups_of_member {
    ($user:literal, $lowered:literal) => {
        concat!(
            "(SELECT gc.supergroup_id FROM user_group_members gm JOIN user_group_closure gc \
             ON gc.subgroup_id = CASE WHEN ",
            $lowered,
            ":bigint = 0 THEN gm.group_id ELSE coalesce((SELECT gf.id FROM user_groups gh \
             JOIN user_groups gf ON gf.realm_id = gh.realm_id AND gf.name = 'role:fullmembers' \
             WHERE gh.id = gm.group_id AND gh.is_system_group = 1 AND gh.name IN \
             ('role:owners', 'role:administrators', 'role:moderators')), gm.group_id) END \
             WHERE gm.user_id = ",
            $user,
            ")"
        )
    };
}

pub(crate) use groups_of_member;
pub(crate) use groups_of_user;
pub(crate) use members_of_object;
pub(crate) use value_json;

/// An account as a member of groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Member {
    pub user_id: UserId,
    /// Whether it counts as a full member instead of a moderator, an administrator or an owner.
    pub is_lowered: bool,
}

impl From<UserId> for Member {
    fn from(user_id: UserId) -> Self {
        Self {
            user_id,
            is_lowered: false,
        }
    }
}

/// The object that a permission belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owner {
    Realm(RealmId),
    /// A named group.
    UserGroup(GroupId),
    /// A channel.
    Channel(ChannelId),
}

impl Owner {
    /// The owner that is stored as this kind and id; `None` for another kind.
    #[must_use]
    pub fn new(kind: &str, id: i64) -> Option<Self> {
        match kind {
            "realm" => Some(Self::Realm(RealmId(id))),
            "user_group" => Some(Self::UserGroup(GroupId(id))),
            "channel" => Some(Self::Channel(ChannelId(id))),
            _ => None,
        }
    }

    const fn kind(self) -> &'static str {
        match self {
            Self::Realm(_) => "realm",
            Self::UserGroup(_) => "user_group",
            Self::Channel(_) => "channel",
        }
    }

    const fn id(self) -> i64 {
        match self {
            Self::Realm(id) => id.get(),
            Self::UserGroup(id) => id.get(),
            Self::Channel(id) => id.get(),
        }
    }
}

/// Stores which group holds a permission.
pub fn set(
    tx: &WriteTx<'_>,
    realm_id: RealmId,
    owner: Owner,
    name: &str,
    group_id: GroupId,
) -> Result<(), DbError> {
    tx.execute(
        statement!(
            "INSERT INTO group_settings (realm_id, owner_type, owner_id, name, group_id) \
         VALUES (?1, ?2, ?3, ?4, ?5) \
         ON CONFLICT (owner_type, owner_id, name) DO UPDATE SET group_id = ?5"
        ),
        &params![realm_id, owner.kind(), owner.id(), name, group_id],
    )?;
    Ok(())
}

/// Stores several permissions of one owner in one statement: JSON object from name to group id.
pub fn set_all(
    tx: &WriteTx<'_>,
    realm_id: RealmId,
    owner: Owner,
    holders: &str,
) -> Result<(), DbError> {
    tx.execute(
        statement!(
            "INSERT INTO group_settings (realm_id, owner_type, owner_id, name, group_id) \
         SELECT ?1, ?2, ?3, key, CAST(value AS BIGINT) FROM json_members(?4) WHERE true \
         ON CONFLICT (owner_type, owner_id, name) DO UPDATE SET group_id = excluded.group_id"
        ),
        &params![realm_id, owner.kind(), owner.id(), holders],
    )?;
    Ok(())
}

row_struct! {
    /// The value of a permission.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct SettingRow {
        /// The group that is stored, named or not.
        pub group_id: GroupId,
        /// Whether that group has a name.
        pub is_named: bool,
        /// The value in its wire form, as JSON.
        pub value: String,
    }
}

/// Reads one permission of one owner; `None` when it was never stored.
pub fn value(db: &dyn Db, owner: Owner, name: &str) -> Result<Option<SettingRow>, DbError> {
    db.query(
        sql!(
            "SELECT s.group_id, v.name IS NOT NULL AS is_named, CAST(",
            value_json!(),
            " AS TEXT) AS value FROM group_settings s JOIN user_groups v ON v.id = s.group_id \
             WHERE s.owner_type = ?1 AND s.owner_id = ?2 AND s.name = ?3"
        ),
        &params![owner.kind(), owner.id(), name],
    )?
    .first()
}

/// A permission whose value is or names the group, or names the user, that was looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UseRow {
    /// The object that the permission belongs to.
    pub owner: Owner,
    /// Wire name of the permission.
    pub name: String,
    /// The value in its wire form, as JSON.
    pub value: String,
    /// Whether the owner is a deactivated group or an archived channel.
    pub is_owner_inactive: bool,
    /// Name of the channel, when the owner is one.
    pub channel_name: Option<String>,
}

impl FromRow for UseRow {
    fn from_row(row: &mut Row<'_>) -> Result<Self, DbError> {
        let kind: String = row.named("owner_type")?;
        let id = row.named("owner_id")?;
        Ok(Self {
            owner: Owner::new(&kind, id).ok_or(DbError::Column {
                name: "owner_type".to_owned(),
                expected: "realm, user_group or channel",
                found: "another word",
            })?,
            name: row.named("name")?,
            value: row.named("value")?,
            is_owner_inactive: row.named("is_owner_inactive")?,
            channel_name: row.named("channel_name")?,
        })
    }
}

macro_rules! use_columns {
    () => {
        concat!(
            "SELECT s.owner_type, s.owner_id, s.name, CAST(",
            crate::group_settings::value_json!(),
            " AS TEXT) AS value, CASE s.owner_type \
                 WHEN 'user_group' THEN (SELECT o.deactivated FROM user_groups o WHERE o.id = s.owner_id) \
                 WHEN 'channel' THEN (SELECT o.is_archived FROM channels o WHERE o.id = s.owner_id) \
                 ELSE 0 END AS is_owner_inactive, \
             (SELECT o.name FROM channels o WHERE s.owner_type = 'channel' AND o.id = s.owner_id) \
                 AS channel_name \
             FROM group_settings s JOIN user_groups v ON v.id = s.group_id \
             WHERE s.realm_id = ?1 AND "
        )
    };
}

/// Permissions whose value is the group, or names it among the subgroups; by owner and name.
pub fn uses_of_group(
    db: &dyn Db,
    realm_id: RealmId,
    group_id: GroupId,
) -> Result<Vec<UseRow>, DbError> {
    db.query(
        sql!(
            use_columns!(),
            "s.group_id IN (SELECT ?2 UNION ALL SELECT n.supergroup_id FROM user_group_subgroups n \
             JOIN user_groups a ON a.id = n.supergroup_id WHERE n.subgroup_id = ?2 AND a.name IS NULL) \
             ORDER BY s.owner_type, s.owner_id, s.name"
        ),
        &params![realm_id, group_id],
    )?
    .all()
}

/// Permissions whose value names one of these users among the direct members, each once; by owner and name. `users` is
/// a JSON list of ids.
pub fn uses_of_users(db: &dyn Db, realm_id: RealmId, users: &str) -> Result<Vec<UseRow>, DbError> {
    db.query(
        sql!(
            use_columns!(),
            "s.group_id IN (SELECT m.group_id FROM user_group_members m \
             JOIN user_groups a ON a.id = m.group_id WHERE m.user_id IN (SELECT value FROM json_ids(?2)) \
             AND a.name IS NULL) ORDER BY s.owner_type, s.owner_id, s.name"
        ),
        &params![realm_id, users],
    )?
    .all()
}

/// Names of the permissions of one owner that the user holds through any group.
pub fn held_by(
    db: &dyn Db,
    owner: Owner,
    member: impl Into<Member>,
) -> Result<Vec<String>, DbError> {
    let member = member.into();
    db.query(
        sql!(
            "SELECT name FROM group_settings WHERE owner_type = ?1 AND owner_id = ?2 \
             AND group_id IN ",
            groups_of_member!("?3", "?4"),
            " ORDER BY name"
        ),
        &params![owner.kind(), owner.id(), member.user_id, member.is_lowered],
    )?
    .values()
}

/// The permissions of the organization as a JSON object from name to value.
pub fn of_realm(db: &dyn Db, realm_id: RealmId) -> Result<String, DbError> {
    db.query(
        sql!(
            "SELECT '{' || substr(",
            members_of_object!("'realm'", "?1"),
            ", 2) || '}'"
        ),
        &params![realm_id],
    )?
    .one_value()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, TestDatabase};
    use crate::{group_nesting, groups};

    #[test]
    fn permissions_are_held_through_nesting() {
        let database = TestDatabase::with_realm();
        let tx = database.tx();
        let ann = testing::user(&tx, "ann@x.org");
        let outer =
            groups::insert(&tx, RealmId::ONLY, Some("outer"), "", false, None, None).unwrap();
        let inner =
            groups::insert(&tx, RealmId::ONLY, Some("inner"), "", false, None, None).unwrap();
        group_nesting::add_subgroup(&tx, outer, inner).unwrap();
        groups::add_member(&tx, inner, ann).unwrap();
        let owner = Owner::Realm(RealmId::ONLY);
        let holders = format!(r#"{{"can_x":{outer},"can_y":{inner}}}"#);
        set_all(&tx, RealmId::ONLY, owner, &holders).unwrap();
        assert_eq!(held_by(&tx, owner, ann).unwrap(), ["can_x", "can_y"]);
        assert_eq!(of_realm(&tx, RealmId::ONLY).unwrap(), holders);
        group_nesting::remove_subgroup(&tx, outer, inner).unwrap();
        assert_eq!(held_by(&tx, owner, ann).unwrap(), ["can_y"]);
        assert_eq!(of_realm(&tx, RealmId(2)).unwrap(), "{}");
    }
}
