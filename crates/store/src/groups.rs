//! User groups: members, nesting, and the closure that answers permission questions.
//!
//! Owns the invariant that `user_group_closure` is the transitive closure of
//! `user_group_subgroups` with every group included in itself. Only the functions here write
//! either table. Nesting must stay free of cycles: callers ask [`contains`] first.

use crate::{Db, DbError, params};

/// Creates a group; `name` is none for a nameless one. Returns its id.
///
/// # Errors
/// [`DbError::NotUnique`] when the name is taken.
pub fn insert(
    db: &dyn Db,
    realm_id: i64,
    name: Option<&str>,
    description: &str,
    is_system_group: bool,
    creator_id: Option<i64>,
    date_created: Option<i64>,
) -> Result<i64, DbError> {
    let id = db
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
    db.execute(
        "INSERT INTO user_group_closure (supergroup_id, subgroup_id) VALUES (?1, ?1)",
        &params![id],
    )?;
    Ok(id)
}

/// Creates a nameless group that lists these users and groups (JSON lists of ids). Returns
/// its id. Nothing can contain it, so no cycle is closed.
///
/// # Errors
/// [`DbError`] when a statement fails.
pub fn insert_nameless(
    db: &dyn Db,
    realm_id: i64,
    members: &str,
    subgroups: &str,
) -> Result<i64, DbError> {
    let id = insert(db, realm_id, None, "", false, None, None)?;
    add_members(db, id, members)?;
    add_subgroups(db, id, subgroups)?;
    Ok(id)
}

/// Removes a nameless group that is the value of no permission any more; does nothing to
/// any other group.
///
/// # Errors
/// [`DbError`] when a statement fails.
pub fn remove_unused_nameless(db: &dyn Db, group_id: i64) -> Result<(), DbError> {
    // Rows of the other tables follow by their foreign keys.
    db.execute(
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
    db.execute(
        "SELECT id, name, description, is_system_group, deactivated FROM user_groups \
         WHERE id IN (SELECT value FROM json_each(?2)) AND realm_id = ?1 AND name IS NOT NULL \
         ORDER BY id",
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
pub fn add_members(db: &dyn Db, group_id: i64, user_ids: &str) -> Result<(), DbError> {
    db.execute(
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
pub fn remove_members(db: &dyn Db, group_id: i64, user_ids: &str) -> Result<(), DbError> {
    db.execute(
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
pub fn add_member(db: &dyn Db, group_id: i64, user_id: i64) -> Result<(), DbError> {
    db.execute(
        "INSERT INTO user_group_members (user_id, group_id) VALUES (?1, ?2) ON CONFLICT DO NOTHING",
        &params![user_id, group_id],
    )?;
    Ok(())
}

/// Takes a user out of the direct members of a group.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn remove_member(db: &dyn Db, group_id: i64, user_id: i64) -> Result<(), DbError> {
    db.execute(
        "DELETE FROM user_group_members WHERE user_id = ?1 AND group_id = ?2",
        &params![user_id, group_id],
    )?;
    Ok(())
}

/// Whether `subgroup` is in `supergroup`, however deep; every group is in itself.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn contains(db: &dyn Db, supergroup: i64, subgroup: i64) -> Result<bool, DbError> {
    let rows = db.execute(
        "SELECT 1 FROM user_group_closure WHERE supergroup_id = ?1 AND subgroup_id = ?2",
        &params![supergroup, subgroup],
    )?;
    Ok(!rows.rows.is_empty())
}

/// Nests `subgroup` in `supergroup`. The caller has made sure that this closes no cycle.
///
/// # Errors
/// [`DbError`] when a statement fails.
pub fn add_subgroup(db: &dyn Db, supergroup: i64, subgroup: i64) -> Result<(), DbError> {
    add_subgroups(db, supergroup, &crate::id_list([subgroup]))
}

/// Nests groups (JSON list of ids) in `supergroup`. The caller has made sure that this closes
/// no cycle.
///
/// # Errors
/// [`DbError`] when a statement fails.
pub fn add_subgroups(db: &dyn Db, supergroup: i64, subgroups: &str) -> Result<(), DbError> {
    let edges = params![supergroup, subgroups];
    db.execute(
        "INSERT INTO user_group_subgroups (supergroup_id, subgroup_id) \
         SELECT ?1, value FROM json_each(?2) WHERE true ON CONFLICT DO NOTHING",
        &edges,
    )?;
    // Whatever contains the one now contains whatever is in the others; what is in several of
    // them is paired once.
    db.execute(
        "INSERT INTO user_group_closure (supergroup_id, subgroup_id) \
         SELECT above.supergroup_id, below.subgroup_id FROM user_group_closure above \
         CROSS JOIN (SELECT DISTINCT c.subgroup_id FROM json_each(?2) j \
             CROSS JOIN user_group_closure c ON c.supergroup_id = j.value) below \
         WHERE above.subgroup_id = ?1 ON CONFLICT DO NOTHING",
        &edges,
    )?;
    Ok(())
}

/// Takes `subgroup` out of `supergroup`.
///
/// # Errors
/// [`DbError`] when a statement fails.
pub fn remove_subgroup(db: &dyn Db, supergroup: i64, subgroup: i64) -> Result<(), DbError> {
    let edge = params![supergroup, subgroup];
    db.execute(
        "DELETE FROM user_group_subgroups WHERE supergroup_id = ?1 AND subgroup_id = ?2",
        &edge,
    )?;
    // Only pairs that may have gone through the edge can vanish: from above it to below it.
    // Such a pair stays when another path leads down: one whose last group above the edge is
    // nested in by an edge (e) to a group that is not above it. Without cycles, both ends of
    // that path are pairs of the closure that do not go through the lost edge.
    db.execute(
        "DELETE FROM user_group_closure \
         WHERE supergroup_id IN (SELECT supergroup_id FROM user_group_closure WHERE subgroup_id = ?1) \
         AND subgroup_id IN (SELECT subgroup_id FROM user_group_closure WHERE supergroup_id = ?2) \
         AND NOT EXISTS (SELECT 1 FROM user_group_closure down \
             CROSS JOIN user_group_subgroups e ON e.subgroup_id = down.supergroup_id \
             CROSS JOIN user_group_closure up ON up.supergroup_id = user_group_closure.supergroup_id \
                 AND up.subgroup_id = e.supergroup_id \
             WHERE down.subgroup_id = user_group_closure.subgroup_id \
             AND EXISTS (SELECT 1 FROM user_group_closure a \
                 WHERE a.supergroup_id = e.supergroup_id AND a.subgroup_id = ?1) \
             AND NOT EXISTS (SELECT 1 FROM user_group_closure a \
                 WHERE a.supergroup_id = e.subgroup_id AND a.subgroup_id = ?1))",
        &edge,
    )?;
    Ok(())
}

/// Names and ids of the system groups.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn system_groups(db: &dyn Db, realm_id: i64) -> Result<Vec<(String, i64)>, DbError> {
    db.execute(
        "SELECT name, id FROM user_groups WHERE realm_id = ?1 AND is_system_group = 1 ORDER BY id",
        &params![realm_id],
    )?
    .read_all(|row| Ok((row.text()?, row.integer()?)))
}

/// Ids of the named groups that list a user as a direct member, system groups told apart.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn direct_groups_of(db: &dyn Db, user_id: i64) -> Result<Vec<(i64, bool)>, DbError> {
    db.execute(
        "SELECT g.id, g.is_system_group FROM user_group_members m \
         JOIN user_groups g ON g.id = m.group_id WHERE m.user_id = ?1 AND g.name IS NOT NULL \
         ORDER BY g.id",
        &params![user_id],
    )?
    .read_all(|row| Ok((row.integer()?, row.flag()?)))
}

/// Whether the user is in the group or in any group nested in it.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn has_member(db: &dyn Db, group_id: i64, user_id: i64) -> Result<bool, DbError> {
    let rows = db.execute(
        "SELECT 1 FROM user_group_members m JOIN user_group_closure c ON c.subgroup_id = m.group_id \
         WHERE m.user_id = ?2 AND c.supergroup_id = ?1 LIMIT 1",
        &params![group_id, user_id],
    )?;
    Ok(!rows.rows.is_empty())
}

/// Group records of the wire as a JSON list, by id (protocol-facts 2.2).
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn records(db: &dyn Db, realm_id: i64, with_deactivated: bool) -> Result<String, DbError> {
    db.execute(
        concat!(
            "SELECT '[' || coalesce(group_concat(rtrim(json_object('id', g.id, 'name', g.name, \
                 'description', g.description, 'date_created', g.date_created, \
                 'creator_id', g.creator_id, 'members', json((SELECT json_group_array(m.user_id \
                     ORDER BY m.user_id) FROM user_group_members m JOIN users u ON u.id = m.user_id \
                     WHERE m.group_id = g.id AND u.is_active = 1)), \
                 'direct_subgroup_ids', json((SELECT json_group_array(n.subgroup_id \
                     ORDER BY n.subgroup_id) FROM user_group_subgroups n WHERE n.supergroup_id = g.id)), \
                 'is_system_group', json(iif(g.is_system_group, 'true', 'false')), \
                 'deactivated', json(iif(g.deactivated, 'true', 'false'))), '}') || ",
            crate::group_settings::members_of_object!("'user_group'", "g.id"),
            " || '}', ',' ORDER BY g.id), '') || ']' \
             FROM user_groups g WHERE g.realm_id = ?1 AND g.name IS NOT NULL \
             AND (?2 OR g.deactivated = 0)"
        ),
        &params![realm_id, with_deactivated],
    )?
    .read_one(|row| row.text())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;
    use crate::testing::{self, TestDatabase};
    use crate::{WriteTx, group_settings};

    fn group(db: &dyn Db) -> i64 {
        insert(db, 1, None, "", false, None, None).unwrap()
    }

    fn closure(db: &dyn Db) -> BTreeSet<(i64, i64)> {
        db.execute(
            "SELECT supergroup_id, subgroup_id FROM user_group_closure",
            &[],
        )
        .unwrap()
        .read_all(|row| Ok((row.integer()?, row.integer()?)))
        .unwrap()
        .into_iter()
        .collect()
    }

    fn reach(edges: &BTreeSet<(i64, i64)>, from: i64, found: &mut BTreeSet<i64>) {
        if found.insert(from) {
            for (_, below) in edges.range((from, i64::MIN)..=(from, i64::MAX)) {
                reach(edges, *below, found);
            }
        }
    }

    fn brute_force(groups: &[i64], edges: &BTreeSet<(i64, i64)>) -> BTreeSet<(i64, i64)> {
        let mut pairs = BTreeSet::new();
        for group in groups {
            let mut found = BTreeSet::new();
            reach(edges, *group, &mut found);
            pairs.extend(found.into_iter().map(|below| (*group, below)));
        }
        pairs
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]
        #[test]
        fn the_closure_equals_recursion(
            steps in proptest::collection::vec((0..64_usize, 0..64_usize, prop::bool::weighted(0.7)), 1..120),
        ) {
            let database = TestDatabase::with_realm();
            let db = database.db();
            let tx = WriteTx::begin(&db).unwrap();
            let groups: Vec<i64> = (0..64).map(|_| group(&tx)).collect();
            let mut edges = BTreeSet::new();
            for (one, other, add) in steps {
                // An order among the groups keeps the nesting free of cycles.
                let (above, below) = (groups[one.min(other)], groups[one.max(other)]);
                if above == below {
                    continue;
                }
                if add {
                    add_subgroup(&tx, above, below).unwrap();
                    edges.insert((above, below));
                } else {
                    remove_subgroup(&tx, above, below).unwrap();
                    edges.remove(&(above, below));
                }
                prop_assert_eq!(closure(&tx), brute_force(&groups, &edges));
            }
        }
    }

    #[test]
    fn a_chain_of_64_is_cut_and_joined() {
        let database = TestDatabase::with_realm();
        let db = database.db();
        let tx = WriteTx::begin(&db).unwrap();
        let chain: Vec<i64> = (0..65).map(|_| group(&tx)).collect();
        for pair in chain.windows(2) {
            add_subgroup(&tx, pair[0], pair[1]).unwrap();
        }
        let user = testing::add_user(&tx, "ann@x.org");
        add_member(&tx, chain[64], user).unwrap();
        assert_eq!(has_member(&tx, chain[0], user), Ok(true));
        assert_eq!(contains(&tx, chain[64], chain[0]), Ok(false));
        remove_subgroup(&tx, chain[31], chain[32]).unwrap();
        assert_eq!(has_member(&tx, chain[0], user), Ok(false));
        assert_eq!(has_member(&tx, chain[32], user), Ok(true));
        // A second path survives the loss of the first.
        add_subgroup(&tx, chain[31], chain[32]).unwrap();
        add_subgroup(&tx, chain[30], chain[32]).unwrap();
        remove_subgroup(&tx, chain[31], chain[32]).unwrap();
        assert_eq!(has_member(&tx, chain[0], user), Ok(true));
        assert_eq!(has_member(&tx, chain[31], user), Ok(false));
    }

    #[test]
    fn records_show_active_members_and_permissions() {
        let database = TestDatabase::with_realm();
        let db = database.db();
        let (ann, bob) = (testing::add_user(&db, "a@x"), testing::add_user(&db, "b@x"));
        let devs = insert(&db, 1, Some("devs"), "d", false, Some(ann), Some(3)).unwrap();
        let nameless = group(&db);
        for user in [bob, ann] {
            add_member(&db, devs, user).unwrap();
            add_member(&db, nameless, user).unwrap();
        }
        crate::users::set_active(&db, bob, false).unwrap();
        group_settings::set(&db, 1, "user_group", devs, "can_manage_group", nameless).unwrap();
        group_settings::set(&db, 1, "user_group", devs, "can_join_group", devs).unwrap();
        let records: serde_json::Value =
            serde_json::from_str(&records(&db, 1, true).unwrap()).unwrap();
        assert_eq!(
            records,
            serde_json::json!([{"id": devs, "name": "devs", "description": "d", "date_created": 3,
                "creator_id": ann, "members": [ann], "direct_subgroup_ids": [],
                "is_system_group": false, "deactivated": false, "can_join_group": devs,
                "can_manage_group": {"direct_members": [ann], "direct_subgroups": []}}])
        );
        assert_eq!(direct_groups_of(&db, ann), Ok(vec![(devs, false)]));
    }
}
