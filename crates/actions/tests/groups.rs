//! User groups: all of a change or nothing, few statements, and full members in time.

#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

mod support;

use serde_json::json;
use spindle_actions::permissions::promote_full_members;
use spindle_actions::user_groups::{
    GroupChanges, GroupLists, NewGroup, change_group_lists, create_group, deactivate_group,
    group_members, update_group,
};
use spindle_actions::{ActionError, Actor};
use spindle_domain::errors::ClientError;
use spindle_domain::group_setting::GroupSettingUpdate;
use spindle_domain::permission::{GROUP, by_name};
use spindle_domain::policy::Reason;
use spindle_domain::{GroupId, GroupSettingValue, NamelessGroup, Role};
use support::{Counting, REALM, START, World};

const DAY: i64 = 86_400;

fn group(world: &World, actor: &Actor, name: &str) -> GroupId {
    let new = NewGroup {
        name: name.to_owned(),
        ..NewGroup::default()
    };
    create_group(&world.db(), actor, START, &new).unwrap()
}

fn described(text: &str) -> GroupChanges {
    GroupChanges {
        description: Some(text.to_owned()),
        ..GroupChanges::default()
    }
}

#[test]
fn a_change_costs_few_statements() {
    let world = World::new();
    let ann = world.person("Ann", Role::Member);
    let id = group(&world, &ann, "devs");
    let db = Counting::new(world.db());
    update_group(&db, &ann, START, id, &described("new")).unwrap();
    // BEGIN, the group, the permission of Ann, its creator, the quota of the organization and the share of the creator
    // before and after, the change, audit row, event, COMMIT.
    assert_eq!(db.count.get(), 12);
    let db = Counting::new(world.db());
    update_group(&db, &ann, START, id, &described("new")).unwrap();
    assert_eq!(db.count.get(), 4);
}

#[test]
fn what_is_refused_changes_nothing() {
    let world = World::new();
    let (ann, bob) = (
        world.person("Ann", Role::Member),
        world.person("Bob", Role::Member),
    );
    let id = group(&world, &ann, "devs");
    let before = world.fingerprint();
    let refused = update_group(&world.db(), &bob, START, id, &described("x"));
    assert!(matches!(
        refused,
        Err(ActionError::Denied(Reason::InsufficientPermission))
    ));
    let missing = update_group(&world.db(), &ann, START, GroupId(999), &described("x"));
    assert!(matches!(
        missing,
        Err(ActionError::Denied(Reason::NoAccess))
    ));
    let manage = by_name(GROUP, "can_manage_group").unwrap();
    let update = |new| GroupSettingUpdate { new, old: None };
    let late = GroupChanges {
        name: Some("other".to_owned()),
        permissions: vec![(manage, update(GroupSettingValue::Group(GroupId(999))))],
        ..GroupChanges::default()
    };
    assert!(update_group(&world.db(), &ann, START, id, &late).is_err());
    let lists = GroupLists {
        add: vec![bob.user_id],
        delete_subgroups: vec![id],
        ..GroupLists::default()
    };
    assert!(change_group_lists(&world.db(), &ann, START, id, &lists).is_err());
    let nameless = GroupSettingValue::Nameless(NamelessGroup {
        direct_members: vec![bob.user_id],
        direct_subgroups: vec![id],
    });
    let stale = GroupChanges {
        permissions: vec![(
            manage,
            GroupSettingUpdate {
                new: nameless.clone(),
                old: Some(nameless),
            },
        )],
        ..GroupChanges::default()
    };
    assert!(matches!(
        update_group(&world.db(), &ann, START, id, &stale),
        Err(ActionError::Client(ClientError::ExpectationMismatch))
    ));
    assert_eq!(world.fingerprint(), before);
}

#[test]
fn every_change_is_audited() {
    let world = World::new();
    let ann = world.person("Ann", Role::Member);
    let id = group(&world, &ann, "devs");
    update_group(&world.db(), &ann, START, id, &described("x")).unwrap();
    let lists = GroupLists {
        add: vec![ann.user_id],
        ..GroupLists::default()
    };
    change_group_lists(&world.db(), &ann, START, id, &lists).unwrap();
    deactivate_group(&world.db(), &ann, START, id).unwrap();
    let count = "SELECT count(*) FROM audit_log WHERE event_type LIKE 'user_group_%' \
                 AND acting_user_id IS NOT NULL";
    assert_eq!(world.integer(count), 4);
}

/// Members come when they have waited, go when the waiting period grows, and only then.
#[test]
fn full_members_follow_the_waiting_period() {
    let world = World::new();
    let owner = world.owner();
    let set = |days: i64| {
        world.set_realm_setting("waiting_period_threshold", &days.to_string());
    };
    set(3);
    let ann = world.person("Ann", Role::Member);
    let full = GroupId(world.integer("SELECT id FROM user_groups WHERE name = 'role:fullmembers'"));
    let members = || group_members(&world.db(), &owner, full, true).unwrap();
    let promote = |now| promote_full_members(&world.db(), REALM, now).unwrap();
    let seq = world.position();
    // Who logs in for the first time has joined at that moment, a second after START.
    let waited = START + 1 + 3 * DAY;
    assert_eq!(promote(waited - 1), 0);
    assert_eq!((members().as_str(), world.position()), ("[]", seq));
    assert_eq!(promote(waited), 1);
    assert_eq!(members(), json!([ann.user_id]).to_string());
    assert_eq!(world.kinds_since(seq), ["user_group/add_members"]);
    assert_eq!(promote(waited), 0);
    set(4);
    assert_eq!(promote(waited), 1);
    assert_eq!(members(), "[]");
    let events = world.events_since(seq);
    assert_eq!(events[1].0["op"], "remove_members");
    assert_eq!(events[1].0["user_ids"], json!([ann.user_id]));
}
