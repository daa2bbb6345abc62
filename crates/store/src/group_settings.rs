//! Permissions held by groups: of the organization, of a group, of a channel.
//!
//! Owns `group_settings` and the JSON form of a group-setting value. Whether a value may be
//! given to a permission is decided by `spindle-domain`; here it is only stored and read.

use crate::{Db, DbError, Row, WriteTx, params, sql};

/// A value of a permission as JSON: the id of a named group, or an object that lists active
/// members and subgroups. Expects `user_groups v`.
macro_rules! value_json {
    () => {
        "iif(v.name IS NOT NULL, v.id, json_object('direct_members', \
             json((SELECT json_group_array(vm.user_id ORDER BY vm.user_id) \
                 FROM user_group_members vm JOIN users vu ON vu.id = vm.user_id \
                 WHERE vm.group_id = v.id AND vu.is_active = 1)), 'direct_subgroups', \
             json((SELECT json_group_array(vs.subgroup_id ORDER BY vs.subgroup_id) \
                 FROM user_group_subgroups vs WHERE vs.supergroup_id = v.id))))"
    };
}

/// The permissions of one owner as members of a JSON object, each with a comma before it:
/// text that is spliced into an object under construction.
macro_rules! members_of_object {
    ($owner_type:literal, $owner_id:literal) => {
        concat!(
            "coalesce((SELECT group_concat(',' || json_quote(s.name) || ':' || ",
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

/// Ids of every group that the user of parameter `?1` is in, however deep the nesting.
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

pub(crate) use groups_of_user;
pub(crate) use members_of_object;
pub(crate) use value_json;

/// Stores which group holds a permission. `owner_type` is `realm`, `user_group` or `channel`.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn set(
    tx: &WriteTx<'_>,
    realm_id: i64,
    owner_type: &str,
    owner_id: i64,
    name: &str,
    group_id: i64,
) -> Result<(), DbError> {
    tx.execute(
        "INSERT INTO group_settings (realm_id, owner_type, owner_id, name, group_id) \
         VALUES (?1, ?2, ?3, ?4, ?5) \
         ON CONFLICT (owner_type, owner_id, name) DO UPDATE SET group_id = ?5",
        &params![realm_id, owner_type, owner_id, name, group_id],
    )?;
    Ok(())
}

/// Stores several permissions of one owner at once: JSON object from name to group id.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn set_all(
    tx: &WriteTx<'_>,
    realm_id: i64,
    owner_type: &str,
    owner_id: i64,
    holders: &str,
) -> Result<(), DbError> {
    tx.execute(
        "INSERT INTO group_settings (realm_id, owner_type, owner_id, name, group_id) \
         SELECT ?1, ?2, ?3, key, value FROM json_each(?4) WHERE true \
         ON CONFLICT (owner_type, owner_id, name) DO UPDATE SET group_id = excluded.group_id",
        &params![realm_id, owner_type, owner_id, holders],
    )?;
    Ok(())
}

/// What a permission is set to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingRow {
    /// The group that is stored, named or not.
    pub group_id: i64,
    /// Whether that group has a name.
    pub is_named: bool,
    /// The value in its wire form, as JSON.
    pub value: String,
}

/// Reads one permission of one owner; none when it was never stored.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn value(
    db: &dyn Db,
    owner_type: &str,
    owner_id: i64,
    name: &str,
) -> Result<Option<SettingRow>, DbError> {
    db.query(
        sql!(
            "SELECT s.group_id, v.name IS NOT NULL, CAST(",
            value_json!(),
            " AS TEXT) FROM group_settings s JOIN user_groups v ON v.id = s.group_id \
             WHERE s.owner_type = ?1 AND s.owner_id = ?2 AND s.name = ?3"
        ),
        &params![owner_type, owner_id, name],
    )?
    .read_first(|row| {
        Ok(SettingRow {
            group_id: row.integer()?,
            is_named: row.flag()?,
            value: row.text()?,
        })
    })
}

/// A permission that a group holds, or that a nameless group holds which lists somebody.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UseRow {
    /// `realm`, `user_group` or `channel`.
    pub owner_type: String,
    /// What the permission belongs to.
    pub owner_id: i64,
    /// Wire name of the permission.
    pub name: String,
    /// The value in its wire form, as JSON.
    pub value: String,
    /// The owner is a deactivated group or an archived channel.
    pub is_owner_inactive: bool,
    /// Name of the channel, when that is what it belongs to.
    pub channel_name: Option<String>,
}

macro_rules! use_columns {
    () => {
        concat!(
            "SELECT s.owner_type, s.owner_id, s.name, CAST(",
            crate::group_settings::value_json!(),
            " AS TEXT), CASE s.owner_type \
                 WHEN 'user_group' THEN (SELECT o.deactivated FROM user_groups o WHERE o.id = s.owner_id) \
                 WHEN 'channel' THEN (SELECT o.is_archived FROM channels o WHERE o.id = s.owner_id) \
                 ELSE 0 END, \
             (SELECT o.name FROM channels o WHERE s.owner_type = 'channel' AND o.id = s.owner_id) \
             FROM group_settings s JOIN user_groups v ON v.id = s.group_id \
             WHERE s.realm_id = ?1 AND "
        )
    };
}

fn read_use(row: &mut Row<'_>) -> Result<UseRow, DbError> {
    Ok(UseRow {
        owner_type: row.text()?,
        owner_id: row.integer()?,
        name: row.text()?,
        value: row.text()?,
        is_owner_inactive: row.flag()?,
        channel_name: row.optional_text()?,
    })
}

/// Permissions whose value is the group, or names it among the subgroups; by owner and name.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn uses_of_group(db: &dyn Db, realm_id: i64, group_id: i64) -> Result<Vec<UseRow>, DbError> {
    db.query(
        sql!(
            use_columns!(),
            "s.group_id IN (SELECT ?2 UNION ALL SELECT n.supergroup_id FROM user_group_subgroups n \
             JOIN user_groups a ON a.id = n.supergroup_id WHERE n.subgroup_id = ?2 AND a.name IS NULL) \
             ORDER BY s.owner_type, s.owner_id, s.name"
        ),
        &params![realm_id, group_id],
    )?
    .read_all(read_use)
}

/// Permissions whose value names the user among the direct members; by owner and name.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn uses_of_user(db: &dyn Db, realm_id: i64, user_id: i64) -> Result<Vec<UseRow>, DbError> {
    db.query(
        sql!(
            use_columns!(),
            "s.group_id IN (SELECT m.group_id FROM user_group_members m \
             JOIN user_groups a ON a.id = m.group_id WHERE m.user_id = ?2 AND a.name IS NULL) \
             ORDER BY s.owner_type, s.owner_id, s.name"
        ),
        &params![realm_id, user_id],
    )?
    .read_all(read_use)
}

/// Names of the permissions of one owner that the user holds through any group.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn held_by(
    db: &dyn Db,
    owner_type: &str,
    owner_id: i64,
    user_id: i64,
) -> Result<Vec<String>, DbError> {
    db.query(
        sql!(
            "SELECT name FROM group_settings WHERE owner_type = ?1 AND owner_id = ?2 \
             AND group_id IN ",
            groups_of_user!("?3"),
            " ORDER BY name"
        ),
        &params![owner_type, owner_id, user_id],
    )?
    .read_all(|row| row.text())
}

/// The permissions of the organization as a JSON object from name to value.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn of_realm(db: &dyn Db, realm_id: i64) -> Result<String, DbError> {
    db.query(
        sql!(
            "SELECT '{' || substr(",
            members_of_object!("'realm'", "?1"),
            ", 2) || '}'"
        ),
        &params![realm_id],
    )?
    .read_one(|row| row.text())
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
        let ann = testing::add_user(&tx, "ann@x.org");
        let outer = groups::insert(&tx, 1, Some("outer"), "", false, None, None).unwrap();
        let inner = groups::insert(&tx, 1, Some("inner"), "", false, None, None).unwrap();
        group_nesting::add_subgroup(&tx, outer, inner).unwrap();
        groups::add_member(&tx, inner, ann).unwrap();
        let holders = format!(r#"{{"can_x":{outer},"can_y":{inner}}}"#);
        set_all(&tx, 1, "realm", 1, &holders).unwrap();
        assert_eq!(held_by(&tx, "realm", 1, ann).unwrap(), ["can_x", "can_y"]);
        assert_eq!(of_realm(&tx, 1).unwrap(), holders);
        group_nesting::remove_subgroup(&tx, outer, inner).unwrap();
        assert_eq!(held_by(&tx, "realm", 1, ann).unwrap(), ["can_y"]);
        assert_eq!(of_realm(&tx, 2).unwrap(), "{}");
    }
}
