//! PATCH /user_groups/{user_group_id} (docs/protocol/user-groups.md#update_user_group).

use serde_json::json;
use spindle_tests::unique;

use super::{allow, group, group_of, group_with, nameless, path, record, sub, system};
use crate::support::server;

#[test]
fn name_and_description_change() {
    let user = server().user("member");
    let id = group(&user);
    let name = unique("spaced ");
    let sent = format!("  {} ", name.replace(' ', " \u{A0}"));
    user.patch(&path(id), &[("name", &sent), ("description", "")])
        .ok();
    let found = record(&user, id);
    assert_eq!(
        (&found["name"], &found["description"]),
        (&json!(name), &json!(""))
    );
    // The group may keep its own name.
    user.patch(&path(id), &[("name", &name)]).ok();
}

#[test]
fn names_of_groups_follow_the_rules() {
    let user = server().user("member");
    let (one, two) = (group(&user), group(&user));
    let name = |id| record(&user, id)["name"].as_str().unwrap().to_owned();
    let before = name(one);
    let long = "é".repeat(101);
    for bad in [
        "",
        " \t",
        "@x",
        "role:x",
        "user:x",
        "stream:x",
        "channel:x",
        &long,
        &name(two),
    ] {
        user.patch(&path(one), &[("name", bad)]).bad_request();
    }
    user.post(&sub(two, "deactivate"), &[]).ok();
    user.patch(&path(one), &[("name", &name(two))])
        .bad_request();
    assert_eq!(name(one), before);
}

/// The order of the checks: empty request, the group, system groups, permission, name, description,
/// reactivation, permissions. Parameters are parsed before all of it.
#[test]
fn only_the_first_failing_check_is_reported() {
    let (ann, bob) = (server().user("member"), server().user("member"));
    let id = group(&ann);
    let text = |reply: spindle_tests::Reply| reply.bad_request()["msg"].clone();
    let missing = path(99_999_999);
    let nothing = text(ann.patch(&path(id), &[]));
    assert_eq!(text(ann.patch(&missing, &[])), nothing);
    let unreadable = text(ann.patch(&missing, &[("can_join_group", "5")]));
    assert!(unreadable.as_str().unwrap().contains("can_join_group"));
    let invisible = text(ann.patch(&missing, &[("name", "")]));
    assert_ne!(invisible, nothing);
    let owner = server().user("owner");
    let members = system(&ann, "role:members");
    let refused = text(bob.patch(&path(id), &[("name", "")]));
    assert_eq!(text(owner.patch(&path(members), &[("name", "")])), refused);
    assert_ne!(refused, invisible);
    let stale = json!({"new": 1, "old": 99_999_999}).to_string();
    let bad_name = text(ann.patch(&path(id), &[("name", ""), ("can_join_group", &stale)]));
    assert!(bad_name.as_str().unwrap().contains("name"));
    // Parameters are parsed in the order of their names: of two invalid ones, the first is
    // reported.
    let pairs = [("deactivated", "x"), ("can_mention_group", "x")];
    let first = text(ann.patch(&path(id), &pairs));
    assert!(first.as_str().unwrap().contains("can_mention_group"));
}

/// Owners and administrators have no right beyond the permissions.
#[test]
fn the_permission_decides_who_may() {
    let ann = server().user("member");
    let id = group(&ann);
    let pairs = [("description", "changed")];
    for role in ["administrator", "moderator", "member"] {
        server().user(role).patch(&path(id), &pairs).bad_request();
    }
    // Owners have can_manage_all_groups by default.
    server().user("owner").patch(&path(id), &pairs).ok();
    let bot = server().bot();
    allow(
        &ann,
        id,
        "can_manage_group",
        &nameless(&[bot.user_id, ann.user_id], &[]),
    );
    bot.patch(&path(id), &[("description", "by a bot")]).ok();
    let guest = server().user("guest");
    allow(
        &ann,
        id,
        "can_manage_group",
        &nameless(&[guest.user_id, ann.user_id], &[]),
    );
    guest.patch(&path(id), &pairs).bad_request();
    assert_eq!(record(&ann, id)["description"], "by a bot");
}

/// A right may come through any depth of nested groups, and ends when the chain is broken.
#[test]
fn permissions_reach_through_subgroups() {
    let (ann, bob) = (server().user("member"), server().user("member"));
    let deep = group_of(&ann, &[&bob]);
    let middle = group_with(&ann, &[("subgroups", &format!("[{deep}]"))]);
    let top = group_with(&ann, &[("subgroups", &format!("[{middle}]"))]);
    let managed = group(&ann);
    allow(
        &ann,
        managed,
        "can_manage_group",
        &nameless(&[ann.user_id], &[top]),
    );
    bob.patch(&path(managed), &[("description", "deep")]).ok();
    let delete = [("delete", &*format!("[{deep}]"))];
    ann.post(&sub(middle, "subgroups"), &delete).ok();
    bob.patch(&path(managed), &[("description", "x")])
        .bad_request();
}

#[test]
fn a_deactivated_group_can_be_changed_and_reactivated() {
    let user = server().user("member");
    let id = group(&user);
    user.post(&sub(id, "deactivate"), &[]).ok();
    user.patch(&path(id), &[("description", "quiet")]).ok();
    allow(
        &user,
        id,
        "can_join_group",
        &json!(system(&user, "role:members")),
    );
    // True has no effect, on any group.
    user.patch(&path(id), &[("deactivated", "true")]).ok();
    assert_eq!(record(&user, id)["deactivated"], true);
    let name = unique("returned ");
    user.patch(&path(id), &[("deactivated", "false"), ("name", &name)])
        .ok();
    let found = record(&user, id);
    assert_eq!(
        (&found["deactivated"], &found["name"]),
        (&json!(false), &json!(name))
    );
    assert_eq!(found["description"], "quiet");
    for same in ["true", "false"] {
        user.patch(&path(id), &[("deactivated", same)]).ok();
        assert_eq!(record(&user, id)["deactivated"], false, "{same}");
    }
    user.patch(&path(id), &[("deactivated", "1")]).bad_request();
}

/// One transaction: a late failure undoes the earlier changes.
#[test]
fn a_late_failure_undoes_earlier_changes() {
    let user = server().user("member");
    let id = group(&user);
    user.post(&sub(id, "deactivate"), &[]).ok();
    let before = record(&user, id);
    let internet = json!({"new": system(&user, "role:internet")}).to_string();
    let good = json!({"new": nameless(&[user.user_id], &[])}).to_string();
    let pairs = [
        ("name", unique("x")),
        ("description", "x".to_owned()),
        ("deactivated", "false".to_owned()),
        ("can_join_group", good),
        ("can_mention_group", internet),
    ];
    let pairs: Vec<(&str, &str)> = pairs
        .iter()
        .map(|(name, value)| (*name, value.as_str()))
        .collect();
    user.patch(&path(id), &pairs).bad_request();
    assert_eq!(record(&user, id), before);
}

/// Unknown parameters are reported; the id of the path may be repeated.
#[test]
fn unknown_parameters_are_ignored_and_named() {
    let user = server().user("member");
    let id = group(&user);
    let own = id.to_string();
    let pairs = [
        ("description", "y"),
        ("group_id", &own),
        ("user_group_id", &own),
    ];
    let reply = user.patch(&path(id), &pairs);
    assert_eq!(reply.ignored(), ["group_id"]);
    assert_eq!(record(&user, id)["description"], "y");
}

/// Neither a bare group id nor a bare object is accepted (level 260).
#[test]
fn permissions_are_accepted_in_the_update_form_only() {
    let user = server().user("member");
    let id = group(&user);
    let before = record(&user, id);
    let members = system(&user, "role:members").to_string();
    let people = nameless(&[user.user_id], &[]).to_string();
    for permission in [
        "can_add_members_group",
        "can_join_group",
        "can_leave_group",
        "can_manage_group",
        "can_mention_group",
        "can_remove_members_group",
    ] {
        for bare in [&members, &people] {
            let body = user.patch(&path(id), &[(permission, bare)]).bad_request();
            let text = body["msg"].as_str().unwrap();
            assert!(text.contains(permission), "{text}");
        }
    }
    assert_eq!(record(&user, id), before);
}
