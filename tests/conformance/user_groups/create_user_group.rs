//! POST /user_groups/create (docs/protocol/user-groups.md#create_user_group).

use serde_json::json;
use spindle_tests::unique;

use super::{group, group_of, group_with, nameless, path, record, sub, system};
use crate::support::server;

const PATH: &str = "/user_groups/create";

#[test]
fn a_new_group_has_the_given_values_and_the_defaults() {
    let (ann, bob) = (server().user("member"), server().user("member"));
    let inner = group(&ann);
    let name = unique("a group ");
    let sent = format!(" {name}");
    let members = format!("[{}, {}, {}]", bob.user_id, ann.user_id, bob.user_id);
    let pairs = [
        ("name", sent.as_str()),
        ("description", "any *text*"),
        ("members", &members),
        ("subgroups", &format!("[{inner}]")),
        ("can_join_group", &nameless(&[bob.user_id], &[]).to_string()),
    ];
    let id = ann.post(PATH, &pairs).ok()["group_id"].as_i64().unwrap();
    let found = record(&bob, id);
    let (nobody, everyone) = (system(&ann, "role:nobody"), system(&ann, "role:everyone"));
    let date_created = found["date_created"].as_i64().unwrap();
    assert!(date_created > 1_700_000_000);
    let expected = json!({"id": id, "name": name, "description": "any *text*",
        "date_created": date_created, "creator_id": ann.user_id,
        "members": [ann.user_id, bob.user_id], "direct_subgroup_ids": [inner],
        "is_system_group": false, "deactivated": false,
        "can_add_members_group": nameless(&[ann.user_id], &[]),
        "can_join_group": nameless(&[bob.user_id], &[]),
        "can_leave_group": everyone,
        "can_manage_group": nameless(&[ann.user_id], &[]),
        "can_mention_group": everyone,
        "can_remove_members_group": nobody});
    assert_eq!(found, expected);
}

#[test]
fn name_description_and_members_are_required() {
    let user = server().user("member");
    let all = [("name", "x"), ("description", "x"), ("members", "[]")];
    for missing in ["name", "description", "members"] {
        let pairs: Vec<_> = all
            .iter()
            .filter(|(name, _)| *name != missing)
            .copied()
            .collect();
        let body = user
            .post(PATH, &pairs)
            .error(400, "REQUEST_VARIABLE_MISSING");
        assert_eq!(body["var_name"], missing);
    }
    let pairs = [("name", "x"), ("description", "x"), ("members", "x")];
    user.post(PATH, &pairs).bad_request();
}

#[test]
fn descriptions_have_a_maximum() {
    let user = server().user("member");
    let name = unique("described ");
    let (most, more) = ("é".repeat(1024), "é".repeat(1025));
    let pairs = |description| {
        [
            ("name", &*name),
            ("description", description),
            ("members", "[]"),
        ]
    };
    let refusal = user.post(PATH, &pairs(&more)).bad_request();
    assert!(refusal["msg"].to_string().contains("1024"), "{refusal}");
    let id = user.post(PATH, &pairs(&most)).ok()["group_id"]
        .as_i64()
        .unwrap();
    user.patch(&path(id), &[("description", &more)])
        .bad_request();
    user.patch(&path(id), &[("description", &most[2..])]).ok();
    assert_eq!(record(&user, id)["description"], most[2..]);
}

#[test]
fn names_follow_the_rules_and_are_unique() {
    let user = server().user("member");
    let taken = unique("taken ");
    let attempt = |name: &str| {
        let pairs = [("name", name), ("description", ""), ("members", "[]")];
        user.post(PATH, &pairs)
    };
    let id = attempt(&taken).ok()["group_id"].as_i64().unwrap();
    attempt(&taken).bad_request();
    user.post(&sub(id, "deactivate"), &[]).ok();
    attempt(&taken).bad_request();
    // The comparison is case-sensitive.
    attempt(&taken.to_uppercase()).ok();
    let long = "é".repeat(101);
    for name in [
        "",
        "  ",
        "@x",
        "role:x",
        "user:x",
        "stream:x",
        "channel:x",
        &long,
    ] {
        attempt(name).bad_request();
    }
    let longest = format!("{}{}", unique("l"), "é".repeat(100));
    let longest: String = longest.chars().take(100).collect();
    attempt(&longest).ok();
}

#[test]
fn members_and_subgroups_must_be_active() {
    let user = server().user("member");
    let gone = server().user("member");
    server().admin(&["user", "deactivate", "--email", &gone.email]);
    let deactivated = group(&user);
    user.post(&sub(deactivated, "deactivate"), &[]).ok();
    let attempt = |members: &str, subgroups: &str| {
        let name = unique("group ");
        let pairs = [
            ("name", name.as_str()),
            ("description", ""),
            ("members", members),
            ("subgroups", subgroups),
        ];
        user.post(PATH, &pairs)
    };
    attempt(&format!("[{}]", gone.user_id), "[]").bad_request();
    attempt("[99999999]", "[]").bad_request();
    attempt("[]", &format!("[{deactivated}]")).bad_request();
    attempt("[]", "[99999999]").bad_request();
    attempt("[]", &format!("[{}]", system(&user, "role:members"))).ok();
    attempt(&format!("[{}]", server().bot().user_id), "[]").ok();
}

/// A failing value leaves no group behind, and its name stays available.
#[test]
fn an_invalid_permission_creates_no_group() {
    let user = server().user("member");
    let name = unique("group ");
    let internet = system(&user, "role:internet").to_string();
    let base = [
        ("name", name.as_str()),
        ("description", ""),
        ("members", "[]"),
    ];
    for (permission, value) in [
        ("can_mention_group", internet.as_str()),
        ("can_manage_group", "99999999"),
        ("can_join_group", r#"{"new": 1}"#),
        (
            "can_join_group",
            r#"{"direct_members": [99999999], "direct_subgroups": []}"#,
        ),
    ] {
        let mut pairs = base.to_vec();
        pairs.push((permission, value));
        user.post(PATH, &pairs).bad_request();
    }
    user.post(PATH, &base).ok();
}

/// Members have `realm_can_create_groups`; guests are refused before the parameters are read.
#[test]
fn the_permission_decides_who_may() {
    server()
        .bot()
        .post(PATH, &[])
        .error(400, "REQUEST_VARIABLE_MISSING");
    server().user("guest").post(PATH, &[]).bad_request();
    let (ann, bob) = (server().user("member"), server().user("member"));
    let mine = group_of(&ann, &[&ann]);
    // The creator manages the group; other members do not.
    bob.patch(&path(mine), &[("name", "x")]).bad_request();
    let managed = nameless(&[], &[mine]).to_string();
    let other = group_with(&bob, &[("can_manage_group", &managed)]);
    assert_eq!(record(&ann, other)["can_manage_group"], mine);
    bob.patch(&path(other), &[("description", "x")])
        .bad_request();
    ann.patch(&path(other), &[("description", "x")]).ok();
}
