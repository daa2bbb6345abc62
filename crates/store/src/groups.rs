//! User groups, named and nameless, and their direct members.
//!
//! Which group is nested in which is in [`crate::group_nesting`], what clients are shown in
//! [`crate::group_records`]. Nothing here decides who may change what.

use crate::{Db, DbError, WriteTx, group_nesting, params, sql};

/// Creates a group; `name` is none for a nameless one. Returns its id.
///
/// # Errors
/// [`DbError::NotUnique`] when the name is taken.
pub fn insert(
    tx: &WriteTx<'_>,
    realm_id: i64,
    name: Option<&str>,
    description: &str,
    is_system_group: bool,
    creator_id: Option<i64>,
    date_created: Option<i64>,
) -> Result<i64, DbError> {
    let id = tx
        .execute(
            "INSERT INTO user_groups (realm_id, name, description, is_system_group, creator_id, \
             date_created) VALUES (?1, ?2, ?3, ?4, ?5, ?6) RETURNING id",
            &params![
                realm_id,
                name,
                description,
                is_system_group,
                creator_id,
                date_created
            ],
        )?
        .read_one(|row| row.integer())?;
    group_nesting::begin(tx, id)?;
    Ok(id)
}

/// Creates a nameless group that lists these users and groups (JSON lists of ids). Returns
/// its id. Nothing can contain it, so no cycle is closed.
///
/// # Errors
/// [`DbError`] when a statement fails.
pub fn insert_nameless(
    tx: &WriteTx<'_>,
    realm_id: i64,
    members: &str,
    subgroups: &str,
) -> Result<i64, DbError> {
    let id = insert(tx, realm_id, None, "", false, None, None)?;
    add_members(tx, id, members)?;
    group_nesting::add_subgroups(tx, id, subgroups)?;
    Ok(id)
}

/// Removes a nameless group that is the value of no permission any more; does nothing to
/// any other group.
///
/// # Errors
/// [`DbError`] when a statement fails.
pub fn remove_unused_nameless(tx: &WriteTx<'_>, group_id: i64) -> Result<(), DbError> {
    // Rows of the other tables follow by their foreign keys.
    tx.execute(
        "DELETE FROM user_groups WHERE id = ?1 AND name IS NULL \
         AND NOT EXISTS (SELECT 1 FROM group_settings WHERE group_id = ?1)",
        &params![group_id],
    )?;
    Ok(())
}

/// A named group without its lists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupRow {
    /// Row id.
    pub id: i64,
    /// Unique in the organization.
    pub name: String,
    /// Any text.
    pub description: String,
    /// One of those that follow roles.
    pub is_system_group: bool,
    /// Neither mentioned nor given a permission.
    pub deactivated: bool,
}

/// Those of the listed groups (JSON list of ids) that exist and have a name, by id.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn named(db: &dyn Db, realm_id: i64, ids: &str) -> Result<Vec<GroupRow>, DbError> {
    // The plus keeps SQLite from walking all groups by name instead of finding these by id.
    db.query(
        sql!(
            "SELECT id, name, description, is_system_group, deactivated FROM user_groups \
         WHERE id IN (SELECT value FROM json_each(?2)) AND +realm_id = ?1 AND +name IS NOT NULL \
         ORDER BY id"
        ),
        &params![realm_id, ids],
    )?
    .read_all(|row| {
        Ok(GroupRow {
            id: row.integer()?,
            name: row.text()?,
            description: row.text()?,
            is_system_group: row.flag()?,
            deactivated: row.flag()?,
        })
    })
}

/// Makes users (JSON list of ids) direct members of a group.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn add_members(tx: &WriteTx<'_>, group_id: i64, user_ids: &str) -> Result<(), DbError> {
    tx.execute(
        "INSERT INTO user_group_members (user_id, group_id) \
         SELECT value, ?1 FROM json_each(?2) WHERE true ON CONFLICT DO NOTHING",
        &params![group_id, user_ids],
    )?;
    Ok(())
}

/// Takes users (JSON list of ids) out of the direct members of a group.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn remove_members(tx: &WriteTx<'_>, group_id: i64, user_ids: &str) -> Result<(), DbError> {
    tx.execute(
        "DELETE FROM user_group_members WHERE group_id = ?1 \
         AND user_id IN (SELECT value FROM json_each(?2))",
        &params![group_id, user_ids],
    )?;
    Ok(())
}

/// Makes a user a direct member of a group.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn add_member(tx: &WriteTx<'_>, group_id: i64, user_id: i64) -> Result<(), DbError> {
    tx.execute(
        "INSERT INTO user_group_members (user_id, group_id) VALUES (?1, ?2) ON CONFLICT DO NOTHING",
        &params![user_id, group_id],
    )?;
    Ok(())
}

/// Takes a user out of the direct members of a group.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn remove_member(tx: &WriteTx<'_>, group_id: i64, user_id: i64) -> Result<(), DbError> {
    tx.execute(
        "DELETE FROM user_group_members WHERE user_id = ?1 AND group_id = ?2",
        &params![user_id, group_id],
    )?;
    Ok(())
}

/// Names and ids of the system groups.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn system_groups(db: &dyn Db, realm_id: i64) -> Result<Vec<(String, i64)>, DbError> {
    db.query(
        sql!("SELECT name, id FROM user_groups WHERE realm_id = ?1 AND is_system_group = 1 ORDER BY id"),
        &params![realm_id],
    )?
    .read_all(|row| Ok((row.text()?, row.integer()?)))
}

/// A named group that lists somebody as a direct member.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MembershipRow {
    /// The group.
    pub group_id: i64,
    /// One of those that follow roles.
    pub is_system_group: bool,
    /// Some clients do not know it.
    pub deactivated: bool,
}

/// The named groups that list a user as a direct member, by id.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn direct_groups_of(db: &dyn Db, user_id: i64) -> Result<Vec<MembershipRow>, DbError> {
    db.query(
        sql!(
            "SELECT g.id, g.is_system_group, g.deactivated FROM user_group_members m \
             JOIN user_groups g ON g.id = m.group_id WHERE m.user_id = ?1 AND g.name IS NOT NULL \
             ORDER BY g.id"
        ),
        &params![user_id],
    )?
    .read_all(|row| {
        Ok(MembershipRow {
            group_id: row.integer()?,
            is_system_group: row.flag()?,
            deactivated: row.flag()?,
        })
    })
}

/// Whether the user is in the group or in any group nested in it.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn has_member(db: &dyn Db, group_id: i64, user_id: i64) -> Result<bool, DbError> {
    let rows = db.query(
        sql!("SELECT 1 FROM user_group_members m JOIN user_group_closure c ON c.subgroup_id = m.group_id \
         WHERE m.user_id = ?2 AND c.supergroup_id = ?1 LIMIT 1"),
        &params![group_id, user_id],
    )?;
    Ok(!rows.rows.is_empty())
}

/// Those of the listed users (JSON list of ids) who are direct members of the group, by id.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn members_among(db: &dyn Db, group_id: i64, user_ids: &str) -> Result<Vec<i64>, DbError> {
    db.query(
        sql!(
            "SELECT user_id FROM user_group_members \
             WHERE user_id IN (SELECT value FROM json_each(?2)) AND group_id = ?1 ORDER BY user_id"
        ),
        &params![group_id, user_ids],
    )?
    .read_all(|row| row.integer())
}

/// Changes name and description, each if given.
///
/// # Errors
/// [`DbError::NotUnique`] when the name is taken, by a deactivated group too.
pub fn set_texts(
    tx: &WriteTx<'_>,
    group_id: i64,
    name: Option<&str>,
    description: Option<&str>,
) -> Result<(), DbError> {
    tx.execute(
        "UPDATE user_groups SET name = coalesce(?2, name), description = coalesce(?3, description) \
         WHERE id = ?1",
        &params![group_id, name, description],
    )?;
    Ok(())
}

/// Deactivates a group, or takes it back.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn set_deactivated(tx: &WriteTx<'_>, group_id: i64, deactivated: bool) -> Result<(), DbError> {
    tx.execute(
        "UPDATE user_groups SET deactivated = ?2 WHERE id = ?1",
        &params![group_id, deactivated],
    )?;
    Ok(())
}

/// Somebody whose place among the full members does not fit the time they have waited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WaitingRow {
    /// Account.
    pub user_id: i64,
    /// Deactivated accounts are in no list that clients see.
    pub is_active: bool,
    /// Whether they are a full member now, and should not be.
    pub is_full_member: bool,
}

/// Users of `role` who joined by `cutoff` (UNIX seconds) and are not in the group, and those
/// who joined later and are; by id.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn waiting(
    db: &dyn Db,
    realm_id: i64,
    group_id: i64,
    role: i64,
    cutoff: i64,
) -> Result<Vec<WaitingRow>, DbError> {
    db.query(
        sql!("SELECT id, is_active, joined FROM (SELECT u.id, u.is_active, u.date_joined <= ?4 AS waited, \
             EXISTS (SELECT 1 FROM user_group_members m WHERE m.user_id = u.id AND m.group_id = ?2) \
             AS joined FROM users u WHERE u.realm_id = ?1 AND u.role = ?3) \
         WHERE waited <> joined ORDER BY id"),
        &params![realm_id, group_id, role, cutoff],
    )?
    .read_all(|row| {
        Ok(WaitingRow {
            user_id: row.integer()?,
            is_active: row.flag()?,
            is_full_member: row.flag()?,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, TestDatabase};

    #[test]
    fn a_nameless_group_lives_as_long_as_its_last_permission() {
        let database = TestDatabase::with_realm();
        let tx = database.tx();
        let ann = testing::add_user(&tx, "a@x");
        let devs = insert(&tx, 1, Some("devs"), "", false, Some(ann), None).unwrap();
        let (members, subgroups) = (crate::id_list([ann]), crate::id_list([devs]));
        let value = insert_nameless(&tx, 1, &members, &subgroups).unwrap();
        assert_eq!(group_nesting::contains(&tx, value, devs), Ok(true));
        for name in ["can_x", "can_y"] {
            crate::group_settings::set(&tx, 1, "realm", 1, name, value).unwrap();
        }
        let count = |sql| {
            tx.execute(sql, &[])
                .unwrap()
                .read_one(|row| row.integer())
                .unwrap()
        };
        let groups = || count("SELECT count(*) FROM user_groups");
        crate::group_settings::set(&tx, 1, "realm", 1, "can_x", devs).unwrap();
        remove_unused_nameless(&tx, value).unwrap();
        assert_eq!(groups(), 2);
        crate::group_settings::set(&tx, 1, "realm", 1, "can_y", devs).unwrap();
        remove_unused_nameless(&tx, value).unwrap();
        remove_unused_nameless(&tx, devs).unwrap();
        assert_eq!(groups(), 1);
        assert_eq!(count("SELECT count(*) FROM user_group_closure"), 1);
        assert_eq!(count("SELECT count(*) FROM user_group_members"), 0);
    }

    #[test]
    fn who_has_waited_and_who_has_not() {
        let database = TestDatabase::with_realm();
        let tx = database.tx();
        let group = insert(&tx, 1, Some("full"), "", true, None, None).unwrap();
        let ids: Vec<i64> = ["a@x", "b@x", "c@x", "d@x"]
            .map(|email| testing::add_user(&tx, email))
            .into();
        for (id, joined) in ids.iter().zip([10, 20, 10, 20]) {
            let values = params![*id, joined];
            tx.execute("UPDATE users SET date_joined = ?2 WHERE id = ?1", &values)
                .unwrap();
        }
        let list = crate::id_list([ids[0], ids[1]]);
        add_members(&tx, group, &list).unwrap();
        let row = |user_id, is_full_member| WaitingRow {
            user_id,
            is_active: true,
            is_full_member,
        };
        let found = waiting(&tx, 1, group, 400, 10).unwrap();
        assert_eq!(found, [row(ids[1], true), row(ids[2], false)]);
        assert_eq!(waiting(&tx, 1, group, 600, 10), Ok(Vec::new()));
        remove_members(&tx, group, &list).unwrap();
        assert_eq!(members_among(&tx, group, &list), Ok(Vec::new()));
    }

    #[test]
    fn texts_change_one_by_one_and_names_are_unique() {
        let database = TestDatabase::with_realm();
        let tx = database.tx();
        let one = insert(&tx, 1, Some("one"), "1", false, None, None).unwrap();
        insert(&tx, 1, Some("two"), "2", false, None, None).unwrap();
        set_texts(&tx, one, None, Some("first")).unwrap();
        set_deactivated(&tx, one, true).unwrap();
        assert!(matches!(
            set_texts(&tx, one, Some("two"), None),
            Err(DbError::NotUnique(_))
        ));
        let rows = named(&tx, 1, &crate::id_list([one, 99])).unwrap();
        assert_eq!(rows.len(), 1);
        assert_eq!(
            (rows[0].name.as_str(), rows[0].description.as_str()),
            ("one", "first")
        );
        assert!(rows[0].deactivated);
    }
}
