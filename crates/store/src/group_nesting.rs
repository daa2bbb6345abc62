//! Which group is nested in which, and the closure that answers permission questions.
//!
//! Owns the invariant that `user_group_closure` is the transitive closure of
//! `user_group_subgroups` with every group included in itself. Only the functions here write
//! either table. Nesting must stay free of cycles: callers check with [`containing`] first.
//!
//! A change touches only the pairs between groups that contain the one group and members of the other, so its cost does
//! not depend on how many groups there are.

use spindle_domain::GroupId;

use crate::{Db, DbError, WriteTx, params, sql, statement};

/// Puts a new group, which is nested in no other, into the closure.
pub(crate) fn begin(tx: &WriteTx<'_>, group_id: GroupId) -> Result<(), DbError> {
    tx.execute(
        statement!("INSERT INTO user_group_closure (supergroup_id, subgroup_id) VALUES (?1, ?1)"),
        &params![group_id],
    )?;
    Ok(())
}

/// Whether `subgroup` is in `supergroup`, however deep; every group is in itself.
pub fn contains(db: &dyn Db, supergroup: GroupId, subgroup: GroupId) -> Result<bool, DbError> {
    let rows = db.query(
        sql!("SELECT 1 FROM user_group_closure WHERE supergroup_id = ?1 AND subgroup_id = ?2"),
        &params![supergroup, subgroup],
    )?;
    Ok(!rows.rows.is_empty())
}

/// Those of the listed groups (JSON list of ids) that contain `group_id`, however deep; every
/// group contains itself. To nest one of them in it would close a cycle.
pub fn containing(db: &dyn Db, group_id: GroupId, ids: &str) -> Result<Vec<GroupId>, DbError> {
    db.query(
        sql!(
            "SELECT supergroup_id FROM user_group_closure WHERE subgroup_id = ?1 \
             AND supergroup_id IN (SELECT value FROM json_ids(?2)) ORDER BY supergroup_id"
        ),
        &params![group_id, ids],
    )?
    .values()
}

/// Those of the listed groups (JSON list of ids) that are direct subgroups of `group_id`.
pub fn subgroups_among(db: &dyn Db, group_id: GroupId, ids: &str) -> Result<Vec<GroupId>, DbError> {
    db.query(
        sql!(
            "SELECT subgroup_id FROM user_group_subgroups WHERE supergroup_id = ?1 \
             AND subgroup_id IN (SELECT value FROM json_ids(?2)) ORDER BY subgroup_id"
        ),
        &params![group_id, ids],
    )?
    .values()
}

/// Named groups that are not deactivated and list `group_id` as a direct subgroup, by id.
pub fn active_supergroups(db: &dyn Db, group_id: GroupId) -> Result<Vec<GroupId>, DbError> {
    db.query(
        sql!(
            "SELECT g.id FROM user_group_subgroups n JOIN user_groups g ON g.id = n.supergroup_id \
             WHERE n.subgroup_id = ?1 AND g.name IS NOT NULL AND g.deactivated = 0 ORDER BY g.id"
        ),
        &params![group_id],
    )?
    .values()
}

/// Nests `subgroup` in `supergroup`. The caller has made sure that this closes no cycle.
pub fn add_subgroup(
    tx: &WriteTx<'_>,
    supergroup: GroupId,
    subgroup: GroupId,
) -> Result<(), DbError> {
    add_subgroups(tx, supergroup, &crate::id_list([subgroup]))
}

/// Nests groups (JSON list of ids) in `supergroup`. The caller has made sure that this closes
/// no cycle.
pub fn add_subgroups(
    tx: &WriteTx<'_>,
    supergroup: GroupId,
    subgroups: &str,
) -> Result<(), DbError> {
    let edges = params![supergroup, subgroups];
    tx.execute(
        statement!(
            "INSERT INTO user_group_subgroups (supergroup_id, subgroup_id) \
         SELECT ?1, value FROM json_ids(?2) WHERE true ON CONFLICT DO NOTHING"
        ),
        &edges,
    )?;
    // Every group that contains this one now contains all groups in the others; a group that is
    // in several of them is paired once.
    tx.execute(
        statement!(
            "INSERT INTO user_group_closure (supergroup_id, subgroup_id) \
         SELECT above.supergroup_id, below.subgroup_id FROM user_group_closure above \
         CROSS JOIN (SELECT DISTINCT c.subgroup_id FROM json_ids(?2) j \
             CROSS JOIN user_group_closure c ON c.supergroup_id = j.value) below ON true \
         WHERE above.subgroup_id = ?1 ON CONFLICT DO NOTHING"
        ),
        &edges,
    )?;
    Ok(())
}

/// The groups in `group_id`, however deep, without itself.
pub fn within(db: &dyn Db, group_id: GroupId) -> Result<Vec<GroupId>, DbError> {
    db.query(
        sql!(
            "SELECT subgroup_id FROM user_group_closure WHERE supergroup_id = ?1 AND subgroup_id <> ?1 \
             ORDER BY subgroup_id"
        ),
        &params![group_id],
    )?
    .values()
}

/// Nests the groups `direct` in `supergroup`, which has no subgroups yet. `all` are these groups and everything nested
/// in them. Both are JSON lists of ids. For an import, which calls it for a group after its subgroups.
pub fn nest(tx: &WriteTx<'_>, supergroup: GroupId, direct: &str, all: &str) -> Result<(), DbError> {
    tx.execute(
        statement!(
            "INSERT INTO user_group_subgroups (supergroup_id, subgroup_id) \
             SELECT ?1, value FROM json_ids(?2) WHERE true ON CONFLICT DO NOTHING"
        ),
        &params![supergroup, direct],
    )?;
    tx.execute(
        statement!(
            "INSERT INTO user_group_closure (supergroup_id, subgroup_id) \
             SELECT ?1, value FROM json_ids(?2) WHERE true ON CONFLICT DO NOTHING"
        ),
        &params![supergroup, all],
    )?;
    Ok(())
}

/// The number of groups that are, however deep, in any group of a JSON list of ids, these included; none is counted
/// beyond `most`.
pub fn count_within(db: &dyn Db, group_ids: &str, most: i64) -> Result<i64, DbError> {
    db.query(
        sql!(
            "SELECT count(*) FROM (SELECT DISTINCT c.subgroup_id FROM json_ids(?1) j \
             CROSS JOIN user_group_closure c ON c.supergroup_id = j.value LIMIT ?2) AS found"
        ),
        &params![group_ids, most],
    )?
    .one_value()
}

/// The number of groups in that group which contains most of them, among `group_id` and the groups that contain it;
/// without itself.
pub fn most_within(db: &dyn Db, group_id: GroupId) -> Result<i64, DbError> {
    db.query(
        sql!(
            "SELECT coalesce(max(number), 0) FROM ( \
             SELECT count(*) - 1 AS number FROM user_group_closure above \
             CROSS JOIN user_group_closure below ON below.supergroup_id = above.supergroup_id \
             WHERE above.subgroup_id = ?1 GROUP BY above.supergroup_id) AS counted"
        ),
        &params![group_id],
    )?
    .one_value()
}

/// Takes `subgroup` out of `supergroup`.
pub fn remove_subgroup(
    tx: &WriteTx<'_>,
    supergroup: GroupId,
    subgroup: GroupId,
) -> Result<(), DbError> {
    let edge = params![supergroup, subgroup];
    tx.execute(
        statement!(
            "DELETE FROM user_group_subgroups WHERE supergroup_id = ?1 AND subgroup_id = ?2"
        ),
        &edge,
    )?;
    // Only pairs that may have gone through the edge can vanish: from above it to below it.
    // Such a pair stays when another path leads down, and on that path is an edge that leaves
    // what is above (crossing). Without cycles, the ways to that edge and from it are pairs of
    // the closure that do not go through the lost edge. Where such an edge starts, and what it leads to, is distinct
    // before it is extended upwards: in dense nesting thousands of edges lead to the same groups.
    tx.execute(
        statement!("WITH crossing (v, w) AS MATERIALIZED ( \
             SELECT e.supergroup_id, e.subgroup_id FROM user_group_closure above \
             CROSS JOIN user_group_subgroups e ON e.supergroup_id = above.supergroup_id \
             WHERE above.subgroup_id = ?1 AND NOT EXISTS (SELECT 1 FROM user_group_closure other \
                 WHERE other.supergroup_id = e.subgroup_id AND other.subgroup_id = ?1)) \
         , onward (v, y) AS MATERIALIZED ( \
             SELECT DISTINCT crossing.v, down.subgroup_id FROM crossing \
             CROSS JOIN user_group_closure down ON down.supergroup_id = crossing.w \
                 AND down.subgroup_id IN (SELECT subgroup_id FROM user_group_closure \
                     WHERE supergroup_id = ?2)) \
         DELETE FROM user_group_closure \
         WHERE supergroup_id IN (SELECT supergroup_id FROM user_group_closure WHERE subgroup_id = ?1) \
         AND subgroup_id IN (SELECT subgroup_id FROM user_group_closure WHERE supergroup_id = ?2) \
         AND (supergroup_id, subgroup_id) NOT IN ( \
             SELECT up.supergroup_id, onward.y FROM onward \
             CROSS JOIN user_group_closure up ON up.subgroup_id = onward.v)"),
        &edge,
    )?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use spindle_domain::RealmId;

    use super::*;

    use crate::groups::{add_member, has_member, insert};
    use crate::row_struct;
    use crate::testing::{self, TestDatabase};

    fn group(tx: &WriteTx<'_>) -> GroupId {
        insert(tx, RealmId::ONLY, None, "", false, None, None).unwrap()
    }

    row_struct! {
        struct Pair {
            supergroup_id: GroupId,
            subgroup_id: GroupId,
        }
    }

    fn closure(tx: &WriteTx<'_>) -> BTreeSet<(GroupId, GroupId)> {
        tx.execute(
            "SELECT supergroup_id, subgroup_id FROM user_group_closure",
            &[],
        )
        .unwrap()
        .all::<Pair>()
        .unwrap()
        .into_iter()
        .map(|pair| (pair.supergroup_id, pair.subgroup_id))
        .collect()
    }

    fn reach(edges: &BTreeSet<(GroupId, GroupId)>, from: GroupId, found: &mut BTreeSet<GroupId>) {
        if found.insert(from) {
            for (_, below) in edges.range((from, GroupId(i64::MIN))..=(from, GroupId(i64::MAX))) {
                reach(edges, *below, found);
            }
        }
    }

    fn brute_force(
        groups: &[GroupId],
        edges: &BTreeSet<(GroupId, GroupId)>,
    ) -> BTreeSet<(GroupId, GroupId)> {
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
            let tx = database.tx();
            let groups: Vec<GroupId> = (0..64).map(|_| group(&tx)).collect();
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
        let tx = database.tx();
        let chain: Vec<GroupId> = (0..65).map(|_| group(&tx)).collect();
        for pair in chain.windows(2) {
            add_subgroup(&tx, pair[0], pair[1]).unwrap();
        }
        let user = testing::user(&tx, "ann@x.org");
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
}
