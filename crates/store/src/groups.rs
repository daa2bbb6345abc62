//! User groups, named and nameless, and their direct members.
//!
//! Owns the rows of `user_groups` and `user_group_members`. Nesting is in [`crate::group_nesting`],
//! group objects of the wire in [`crate::group_records`]. The caller decides who may change what.

use spindle_domain::{GroupId, RealmId, Role, UserId};

use crate::{Db, DbError, WriteTx, group_nesting, params, row_struct, sql, statement};

/// Creates a group; `name` is none for a nameless one. Returns its id.
///
/// # Errors
/// [`DbError::NotUnique`] when the name is taken.
pub fn insert(
    tx: &WriteTx<'_>,
    realm_id: RealmId,
    name: Option<&str>,
    description: &str,
    is_system_group: bool,
    creator_id: Option<UserId>,
    date_created: Option<i64>,
) -> Result<GroupId, DbError> {
    let id = tx
        .execute(
            statement!("INSERT INTO user_groups (realm_id, name, description, is_system_group, creator_id, \
             date_created) VALUES (?1, ?2, ?3, ?4, ?5, ?6) RETURNING id"),
            &params![
                realm_id,
                name,
                description,
                is_system_group,
                creator_id,
                date_created
            ],
        )?
        .one_value()?;
    group_nesting::begin(tx, id)?;
    Ok(id)
}

/// Creates a nameless group that lists these users and groups (JSON lists of ids). Returns
/// its id. Nothing can contain it, so no cycle is closed.
pub fn insert_nameless(
    tx: &WriteTx<'_>,
    realm_id: RealmId,
    members: &str,
    subgroups: &str,
) -> Result<GroupId, DbError> {
    let id = insert(tx, realm_id, None, "", false, None, None)?;
    add_members(tx, id, members)?;
    group_nesting::add_subgroups(tx, id, subgroups)?;
    Ok(id)
}

/// Removes a nameless group that is no longer the value of any permission; does nothing to any
/// other group.
pub fn remove_unused_nameless(tx: &WriteTx<'_>, group_id: GroupId) -> Result<(), DbError> {
    // Rows of the other tables follow by their foreign keys.
    tx.execute(
        statement!(
            "DELETE FROM user_groups WHERE id = ?1 AND name IS NULL \
         AND NOT EXISTS (SELECT 1 FROM group_settings WHERE group_id = ?1)"
        ),
        &params![group_id],
    )?;
    Ok(())
}

row_struct! {
    /// A named group without its lists.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct GroupRow {
        /// Group.
        pub id: GroupId,
        /// Unique in the organization.
        pub name: String,
        /// Possibly empty.
        pub description: String,
        /// Whether its members follow from roles.
        pub is_system_group: bool,
        /// A deactivated group is neither mentioned nor given a permission.
        pub deactivated: bool,
    }
}

/// The account that has created a group; `None` when it is not known.
pub fn creator(db: &dyn Db, group_id: GroupId) -> Result<Option<UserId>, DbError> {
    let found = db.query(
        sql!("SELECT creator_id FROM user_groups WHERE id = ?1"),
        &params![group_id],
    )?;
    Ok(found.value::<Option<UserId>>()?.flatten())
}

/// Those of the listed groups (JSON list of ids) that exist and have a name, by id.
pub fn named(db: &dyn Db, realm_id: RealmId, ids: &str) -> Result<Vec<GroupRow>, DbError> {
    // The plus keeps SQLite from walking all groups by name instead of finding these by id.
    db.query(
        sql!(
            "SELECT id, name, description, is_system_group, deactivated FROM user_groups \
         WHERE id IN (SELECT value FROM json_ids(?2)) AND +realm_id = ?1 AND +name IS NOT NULL \
         ORDER BY id"
        ),
        &params![realm_id, ids],
    )?
    .all()
}

/// The groups whose names are in a JSON list, by id.
pub fn of_names(db: &dyn Db, realm_id: RealmId, names: &str) -> Result<Vec<GroupRow>, DbError> {
    db.query(
        sql!(
            "SELECT id, name, description, is_system_group, deactivated FROM user_groups \
         WHERE realm_id = ?1 AND name IN (SELECT value FROM json_texts(?2)) ORDER BY id"
        ),
        &params![realm_id, names],
    )?
    .all()
}

/// Makes users (JSON list of ids) direct members of a group.
pub fn add_members(tx: &WriteTx<'_>, group_id: GroupId, user_ids: &str) -> Result<(), DbError> {
    tx.execute(
        statement!(
            "INSERT INTO user_group_members (user_id, group_id) \
         SELECT value, ?1 FROM json_ids(?2) WHERE true ON CONFLICT DO NOTHING"
        ),
        &params![group_id, user_ids],
    )?;
    Ok(())
}

/// Takes users (JSON list of ids) out of the direct members of a group.
pub fn remove_members(tx: &WriteTx<'_>, group_id: GroupId, user_ids: &str) -> Result<(), DbError> {
    tx.execute(
        statement!(
            "DELETE FROM user_group_members WHERE group_id = ?1 \
         AND user_id IN (SELECT value FROM json_ids(?2))"
        ),
        &params![group_id, user_ids],
    )?;
    Ok(())
}

/// Makes a user a direct member of a group.
pub fn add_member(tx: &WriteTx<'_>, group_id: GroupId, user_id: UserId) -> Result<(), DbError> {
    tx.execute(
        statement!("INSERT INTO user_group_members (user_id, group_id) VALUES (?1, ?2) ON CONFLICT DO NOTHING"),
        &params![user_id, group_id],
    )?;
    Ok(())
}

/// Takes a user out of the direct members of a group.
pub fn remove_member(tx: &WriteTx<'_>, group_id: GroupId, user_id: UserId) -> Result<(), DbError> {
    tx.execute(
        statement!("DELETE FROM user_group_members WHERE user_id = ?1 AND group_id = ?2"),
        &params![user_id, group_id],
    )?;
    Ok(())
}

row_struct! {
    /// A system group.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct SystemGroupRow {
        pub id: GroupId,
        pub name: String,
    }
}

/// The system groups, by id.
pub fn system_groups(db: &dyn Db, realm_id: RealmId) -> Result<Vec<SystemGroupRow>, DbError> {
    db.query(
        sql!("SELECT id, name FROM user_groups WHERE realm_id = ?1 AND is_system_group = 1 ORDER BY id"),
        &params![realm_id],
    )?
    .all()
}

row_struct! {
    /// A named group in which a user is a direct member.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct MembershipRow {
        pub group_id: GroupId,
        /// Whether its members follow from roles.
        pub is_system_group: bool,
        /// Clients without the capability for deactivated groups do not know it.
        pub deactivated: bool,
    }
}

/// The named groups that list a user as a direct member, by id.
pub fn direct_groups_of(db: &dyn Db, user_id: UserId) -> Result<Vec<MembershipRow>, DbError> {
    db.query(
        sql!(
            "SELECT g.id AS group_id, g.is_system_group, g.deactivated FROM user_group_members m \
             JOIN user_groups g ON g.id = m.group_id WHERE m.user_id = ?1 AND g.name IS NOT NULL \
             ORDER BY g.id"
        ),
        &params![user_id],
    )?
    .all()
}

/// Whether the user is in the group or in any group nested in it.
pub fn has_member(db: &dyn Db, group_id: GroupId, user_id: UserId) -> Result<bool, DbError> {
    let rows = db.query(
        sql!("SELECT 1 FROM user_group_members m JOIN user_group_closure c ON c.subgroup_id = m.group_id \
         WHERE m.user_id = ?2 AND c.supergroup_id = ?1 LIMIT 1"),
        &params![group_id, user_id],
    )?;
    Ok(!rows.rows.is_empty())
}

/// Those of the listed users (JSON list of ids) who are direct members of the group, by id.
pub fn members_among(
    db: &dyn Db,
    group_id: GroupId,
    user_ids: &str,
) -> Result<Vec<UserId>, DbError> {
    db.query(
        sql!(
            "SELECT user_id FROM user_group_members \
             WHERE user_id IN (SELECT value FROM json_ids(?2)) AND group_id = ?1 ORDER BY user_id"
        ),
        &params![group_id, user_ids],
    )?
    .values()
}

/// Changes name and description, each if given.
///
/// # Errors
/// [`DbError::NotUnique`] when the name is taken, by a deactivated group too.
pub fn set_texts(
    tx: &WriteTx<'_>,
    group_id: GroupId,
    name: Option<&str>,
    description: Option<&str>,
) -> Result<(), DbError> {
    tx.execute(
        statement!("UPDATE user_groups SET name = coalesce(?2, name), description = coalesce(?3, description) \
         WHERE id = ?1"),
        &params![group_id, name, description],
    )?;
    Ok(())
}

/// Deactivates a group, or takes it back.
pub fn set_deactivated(
    tx: &WriteTx<'_>,
    group_id: GroupId,
    deactivated: bool,
) -> Result<(), DbError> {
    tx.execute(
        statement!("UPDATE user_groups SET deactivated = ?2 WHERE id = ?1"),
        &params![group_id, deactivated],
    )?;
    Ok(())
}

row_struct! {
    /// A user whose membership in the full members does not agree with the time since they joined.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct WaitingRow {
        pub user_id: UserId,
        /// Deactivated accounts are in no list that clients see.
        pub is_active: bool,
        /// Whether they are a full member and should not be; else the reverse.
        pub is_full_member: bool,
    }
}

/// Users of `role` who joined by `cutoff` (UNIX seconds) and are not in the group, and users who
/// joined later and are; by id.
pub fn waiting(
    db: &dyn Db,
    realm_id: RealmId,
    group_id: GroupId,
    role: Role,
    cutoff: i64,
) -> Result<Vec<WaitingRow>, DbError> {
    db.query(
        sql!("SELECT id AS user_id, is_active, joined AS is_full_member FROM (SELECT u.id, u.is_active, u.date_joined <= ?4 AS waited, \
             EXISTS (SELECT 1 FROM user_group_members m WHERE m.user_id = u.id AND m.group_id = ?2) \
             AS joined FROM users u WHERE u.realm_id = ?1 AND u.role = ?3) AS users_of_role \
         WHERE waited <> joined ORDER BY id"),
        &params![realm_id, group_id, role, cutoff],
    )?
    .all()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::group_settings::Owner;
    use crate::testing::{self, TestDatabase};

    const OF_REALM: Owner = Owner::Realm(RealmId::ONLY);

    #[test]
    fn a_nameless_group_lives_as_long_as_its_last_permission() {
        let database = TestDatabase::with_realm();
        let tx = database.tx();
        let ann = testing::user(&tx, "a@x");
        let devs = insert(&tx, RealmId::ONLY, Some("devs"), "", false, Some(ann), None).unwrap();
        let (members, subgroups) = (crate::id_list([ann]), crate::id_list([devs]));
        let value = insert_nameless(&tx, RealmId::ONLY, &members, &subgroups).unwrap();
        assert_eq!(group_nesting::contains(&tx, value, devs), Ok(true));
        for name in ["can_x", "can_y"] {
            crate::group_settings::set(&tx, RealmId::ONLY, OF_REALM, name, value).unwrap();
        }
        let count = |sql| tx.execute(sql, &[]).unwrap().one_value::<i64>().unwrap();
        let groups = || count("SELECT count(*) FROM user_groups");
        crate::group_settings::set(&tx, RealmId::ONLY, OF_REALM, "can_x", devs).unwrap();
        remove_unused_nameless(&tx, value).unwrap();
        assert_eq!(groups(), 2);
        crate::group_settings::set(&tx, RealmId::ONLY, OF_REALM, "can_y", devs).unwrap();
        remove_unused_nameless(&tx, value).unwrap();
        remove_unused_nameless(&tx, devs).unwrap();
        assert_eq!(groups(), 1);
        assert_eq!(count("SELECT count(*) FROM user_group_closure"), 1);
        assert_eq!(count("SELECT count(*) FROM user_group_members"), 0);
    }

    #[test]
    fn users_who_have_waited_long_enough_and_others() {
        let database = TestDatabase::with_realm();
        let tx = database.tx();
        let group = insert(&tx, RealmId::ONLY, Some("full"), "", true, None, None).unwrap();
        let ids: Vec<UserId> = ["a@x", "b@x", "c@x", "d@x"]
            .map(|email| testing::user(&tx, email))
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
        let found = waiting(&tx, RealmId::ONLY, group, Role::Member, 10).unwrap();
        assert_eq!(found, [row(ids[1], true), row(ids[2], false)]);
        assert_eq!(
            waiting(&tx, RealmId::ONLY, group, Role::Guest, 10),
            Ok(Vec::new())
        );
        remove_members(&tx, group, &list).unwrap();
        assert_eq!(members_among(&tx, group, &list), Ok(Vec::new()));
    }

    #[test]
    fn texts_change_one_by_one_and_names_are_unique() {
        let database = TestDatabase::with_realm();
        let tx = database.tx();
        let one = insert(&tx, RealmId::ONLY, Some("one"), "1", false, None, None).unwrap();
        insert(&tx, RealmId::ONLY, Some("two"), "2", false, None, None).unwrap();
        set_texts(&tx, one, None, Some("first")).unwrap();
        set_deactivated(&tx, one, true).unwrap();
        assert!(matches!(
            set_texts(&tx, one, Some("two"), None),
            Err(DbError::NotUnique(_))
        ));
        let rows = named(&tx, RealmId::ONLY, &crate::id_list([one, GroupId(99)])).unwrap();
        assert_eq!(rows.len(), 1);
        assert_eq!(
            (rows[0].name.as_str(), rows[0].description.as_str()),
            ("one", "first")
        );
        assert!(rows[0].deactivated);
    }
}
