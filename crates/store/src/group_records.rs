//! Group objects of the wire, and lists of members and of subgroups, built by SQLite as JSON.
//!
//! Deactivated users are in no list. The caller decides who may see a group.

use spindle_domain::{GroupId, RealmId, UserId};

use crate::chunks::{self, select_chunk};
use crate::{Db, DbError, params, sql};

/// The description of `g` as JSON, cut if the groups of the organization exceed twice their quota, which an older
/// version allowed. The organization is parameter `?1`, so that the sum is computed once.
macro_rules! description_json {
    () => {
        "json_quote(iif(octet_length(g.description) > 200 AND (SELECT sum(o.json_bytes) FROM user_groups o \
             WHERE o.realm_id = ?1 AND o.name IS NOT NULL) > 4000000, \
             substr(g.description, 1, 60) || '…', g.description))"
    };
}

/// One group record as text. Expects `user_groups g`, and the organization in parameter `?1`.
macro_rules! record_json {
    () => {
        concat!("concat('{\"id\":', g.id, ',\"name\":', json_quote(g.name), \
                 ',\"description\":', ",
            description_json!(),
            ", ',\"date_created\":', coalesce(CAST(g.date_created AS TEXT), 'null'), \
                 ',\"creator_id\":', coalesce(CAST(g.creator_id AS TEXT), 'null'), \
                 ',\"members\":', (SELECT json_group_array(m.user_id",
                // The index has them in this order; SQLite would still sort them.
                $crate::either!("", " ORDER BY m.user_id"),
                ") FROM user_group_members m INDEXED BY user_group_members_by_group \
                     CROSS JOIN users u ON u.id = m.user_id \
                     WHERE m.group_id = g.id AND u.is_active = 1), \
                 ',\"direct_subgroup_ids\":', (SELECT json_group_array(n.subgroup_id \
                     ORDER BY n.subgroup_id) FROM user_group_subgroups n WHERE n.supergroup_id = g.id), \
                 ',\"is_system_group\":', iif(g.is_system_group, 'true', 'false'), \
                 ',\"deactivated\":', iif(g.deactivated, 'true', 'false'), ",
            crate::group_settings::members_of_object!("'user_group'", "g.id"), ", '}')")
    };
}

/// Group records of the wire as a JSON list, by id
/// (docs/protocol/user-groups.md#update_user_group).
pub fn list(db: &dyn Db, realm_id: RealmId, with_deactivated: bool) -> Result<String, DbError> {
    chunks::list(|after| {
        db.query(
            sql!(select_chunk!(
                record_json!(),
                "g.id",
                "?3",
                "user_groups g WHERE g.realm_id = ?1 AND g.name IS NOT NULL \
                 AND (?2:bigint = 1 OR g.deactivated = 0)"
            )),
            &params![realm_id, with_deactivated, after],
        )
    })
}

/// The record of one named group; `None` when there is no such group.
pub fn one(db: &dyn Db, realm_id: RealmId, group_id: GroupId) -> Result<Option<String>, DbError> {
    db.query(
        sql!(
            "SELECT ",
            record_json!(),
            " FROM user_groups g WHERE g.id = ?2 AND g.realm_id = ?1 AND g.name IS NOT NULL"
        ),
        &params![realm_id, group_id],
    )?
    .value()
}

/// Active members of a group as a JSON list of ids, by id; of the group alone (`direct`), or
/// of everything nested in it too.
pub fn members(db: &dyn Db, group_id: GroupId, direct: bool) -> Result<String, DbError> {
    db.query(
        sql!(
            "SELECT json_group_array(id ORDER BY id) FROM users WHERE is_active = 1 AND id IN ( \
             SELECT m.user_id FROM user_group_closure c CROSS JOIN user_group_members m \
             ON m.group_id = c.subgroup_id \
             WHERE c.supergroup_id = ?1 AND (?2:bigint = 0 OR c.subgroup_id = ?1))"
        ),
        &params![group_id, direct],
    )?
    .one_value()
}

/// Whether an active user is in the group; as a direct member, or through nested groups too.
pub fn is_member(
    db: &dyn Db,
    group_id: GroupId,
    user_id: UserId,
    direct: bool,
) -> Result<bool, DbError> {
    let rows = db.query(
        sql!(
            "SELECT 1 FROM user_group_members m CROSS JOIN user_group_closure c \
             ON c.supergroup_id = ?1 AND c.subgroup_id = m.group_id \
             JOIN users u ON u.id = m.user_id \
             WHERE m.user_id = ?2 AND u.is_active = 1 AND (?3:bigint = 0 OR m.group_id = ?1) LIMIT 1"
        ),
        &params![group_id, user_id, direct],
    )?;
    Ok(!rows.rows.is_empty())
}

/// Groups nested in a group as a JSON list of ids, by id; those listed (`direct`), or all.
pub fn subgroups(db: &dyn Db, group_id: GroupId, direct: bool) -> Result<String, DbError> {
    db.query(
        sql!(
            "SELECT json_group_array(subgroup_id ORDER BY subgroup_id) FROM ( \
             SELECT subgroup_id FROM user_group_subgroups WHERE supergroup_id = ?1 AND ?2:bigint = 1 \
             UNION ALL SELECT subgroup_id FROM user_group_closure \
             WHERE supergroup_id = ?1 AND subgroup_id <> ?1 AND ?2:bigint = 0) AS nested"
        ),
        &params![group_id, direct],
    )?
    .one_value()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::group_settings::Owner;
    use crate::groups::{MembershipRow, add_member, direct_groups_of, insert};
    use crate::testing::{self, TestDatabase};
    use crate::{WriteTx, group_nesting, group_settings, id_list};

    fn group(tx: &WriteTx<'_>) -> GroupId {
        insert(tx, RealmId::ONLY, None, "", false, None, None).unwrap()
    }

    #[test]
    fn records_show_active_members_and_permissions() {
        let database = TestDatabase::with_realm();
        let tx = database.tx();
        let (ann, bob) = (testing::user(&tx, "a@x"), testing::user(&tx, "b@x"));
        let devs = insert(
            &tx,
            RealmId::ONLY,
            Some("devs"),
            "d",
            false,
            Some(ann),
            Some(3),
        )
        .unwrap();
        let nameless = group(&tx);
        for user in [bob, ann] {
            add_member(&tx, devs, user).unwrap();
            add_member(&tx, nameless, user).unwrap();
        }
        crate::users::set_active(&tx, bob, false).unwrap();
        let owner = Owner::UserGroup(devs);
        group_settings::set(&tx, RealmId::ONLY, owner, "can_manage_group", nameless).unwrap();
        group_settings::set(&tx, RealmId::ONLY, owner, "can_join_group", devs).unwrap();
        let records: serde_json::Value =
            serde_json::from_str(&list(&tx, RealmId::ONLY, true).unwrap()).unwrap();
        assert_eq!(
            records,
            serde_json::json!([{"id": devs, "name": "devs", "description": "d", "date_created": 3,
                "creator_id": ann, "members": [ann], "direct_subgroup_ids": [],
                "is_system_group": false, "deactivated": false, "can_join_group": devs,
                "can_manage_group": {"direct_members": [ann], "direct_subgroups": []}}])
        );
        let membership = MembershipRow {
            group_id: devs,
            is_system_group: false,
            deactivated: false,
        };
        assert_eq!(direct_groups_of(&tx, ann), Ok(vec![membership]));
    }

    #[test]
    fn lists_are_direct_or_deep_and_hold_active_users() {
        let database = TestDatabase::with_realm();
        let tx = database.tx();
        let users: Vec<UserId> = ["a@x", "b@x", "c@x"]
            .map(|email| testing::user(&tx, email))
            .into();
        let groups: Vec<GroupId> = ["g", "h", "i"]
            .map(|name| insert(&tx, RealmId::ONLY, Some(name), "", false, None, None).unwrap())
            .into();
        for (group, user) in groups.iter().zip(&users) {
            add_member(&tx, *group, *user).unwrap();
        }
        add_member(&tx, groups[1], users[0]).unwrap();
        group_nesting::add_subgroup(&tx, groups[0], groups[1]).unwrap();
        group_nesting::add_subgroup(&tx, groups[1], groups[2]).unwrap();
        crate::users::set_active(&tx, users[2], false).unwrap();
        let lists = |direct| {
            let members = members(&tx, groups[0], direct).unwrap();
            let subgroups = subgroups(&tx, groups[0], direct).unwrap();
            let is_member = |user: usize| is_member(&tx, groups[0], users[user], direct).unwrap();
            (members, subgroups, [0, 1, 2].map(is_member))
        };

        let direct = (
            id_list(users[..1].to_vec()),
            id_list(groups[1..2].to_vec()),
            [true, false, false],
        );
        assert_eq!(lists(true), direct);
        let deep = (
            id_list(users[..2].to_vec()),
            id_list(groups[1..].to_vec()),
            [true, true, false],
        );
        assert_eq!(lists(false), deep);
        assert_eq!(one(&tx, RealmId::ONLY, GroupId(999)), Ok(None));
        assert!(
            one(&tx, RealmId::ONLY, groups[0])
                .unwrap()
                .unwrap()
                .contains("\"g\"")
        );
    }
}
