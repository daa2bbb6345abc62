//! System groups, named groups and permissions of an archive.

use super::*;

#[test]
fn system_groups_follow_from_roles_and_permissions_from_the_tables() {
    let world = World::new();
    world.import(&archive(), None).unwrap();
    let members = |name: &str| {
        world.text(&format!(
            "SELECT coalesce(group_concat(m.user_id), '') FROM user_groups g \
             LEFT JOIN user_group_members m ON m.group_id = g.id WHERE g.name = '{name}'"
        ))
    };
    assert_eq!(members("role:owners"), "10");
    assert_eq!(members("role:members"), "11");
    assert_eq!(members("role:fullmembers"), "11");
    assert_eq!(members("role:everyone"), "12");
    let holder = |name: &str| {
        world.text(&format!(
            "SELECT g.name FROM group_settings s JOIN user_groups g ON g.id = s.group_id \
             WHERE s.owner_type = 'channel' AND s.owner_id = 20 AND s.name = '{name}'"
        ))
    };
    assert_eq!(holder("can_send_message_group"), "role:administrators");
    // The creator of the channel administers it.
    assert_eq!(holder("can_administer_channel_group"), "null");
    for (owner, table) in [
        ("realm", spindle_domain::permission::REALM),
        ("channel", spindle_domain::permission::CHANNEL),
    ] {
        let count = world.number(&format!(
            "SELECT count(*) FROM group_settings WHERE owner_type = '{owner}'"
        ));
        assert_eq!(count, i64::try_from(table.len()).unwrap());
    }
}

#[test]
fn groups_keep_members_nesting_and_permissions() {
    let world = World::new();
    let rows = archive()
        .with("zerver_usergroup", json!({"id": 40, "realm": 2}))
        .with("zerver_usergroup", json!({"id": 41, "realm": 2}))
        .with("zerver_usergroup", json!({"id": 42, "realm": 2}))
        .with("zerver_usergroup", json!({"id": 43, "realm": 2}))
        .with(
            "zerver_namedusergroup",
            json!({"usergroup_ptr": 40, "name": "devs", "description": "d", "creator": 10,
                "is_system_group": false, "can_mention_group": 42, "can_manage_group": 99}),
        )
        .with(
            "zerver_namedusergroup",
            json!({"usergroup_ptr": 41, "name": "role:owners", "is_system_group": true}),
        )
        .with(
            "zerver_namedusergroup",
            json!({"usergroup_ptr": 43, "name": "ops", "is_system_group": false}),
        )
        .with(
            "zerver_usergroupmembership",
            json!({"id": 1, "user_group": 40, "user_profile": 11}),
        )
        // Account 11 is not an owner.
        .with(
            "zerver_usergroupmembership",
            json!({"id": 2, "user_group": 41, "user_profile": 11}),
        )
        .with(
            "zerver_usergroupmembership",
            json!({"id": 3, "user_group": 42, "user_profile": 12}),
        )
        .with(
            "zerver_groupgroupmembership",
            json!({"id": 1, "supergroup": 40, "subgroup": 43}),
        )
        .with(
            "zerver_groupgroupmembership",
            json!({"id": 2, "supergroup": 43, "subgroup": 40}),
        )
        .with(
            "zerver_groupgroupmembership",
            json!({"id": 3, "supergroup": 42, "subgroup": 41}),
        );
    let imported = world.import(&rows, None).unwrap();
    assert_eq!(
        world.text(
            "SELECT group_concat(group_id || ':' || user_id, ' ' ORDER BY group_id) \
            FROM user_group_members WHERE group_id BETWEEN 40 AND 43"
        ),
        "40:11 41:10 42:12"
    );
    assert_eq!(
        world.text(
            "SELECT group_concat(supergroup_id || ':' || subgroup_id, ' ') \
            FROM user_group_subgroups WHERE supergroup_id IN (40, 42, 43)"
        ),
        "40:43 42:41"
    );
    let held = "SELECT group_id FROM group_settings WHERE owner_type = 'user_group' \
        AND owner_id = 40 AND name = 'can_mention_group'";
    assert_eq!(world.number(held), 42);
    let note = "subgroups that contain their own group were left out";
    assert_eq!(imported.notes[note], 1);
    let note = "the permission can_manage_group had a value that is not known here, and is the \
        default";
    assert_eq!(imported.notes[note], 1);
}
