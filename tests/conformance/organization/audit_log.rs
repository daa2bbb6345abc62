//! GET /audit_log: what owners read, filters and pages, and attacks on it.

use serde_json::{Value, json};
use spindle_tests::{Reply, Server, User};

use super::{Alone, alone, group_id};
use crate::support::keys;

fn page(user: &User, pairs: &[(&str, &str)]) -> Reply {
    user.get("/audit_log", pairs)
}

#[track_caller]
fn entries(owner: &User, pairs: &[(&str, &str)]) -> Vec<Value> {
    let body = page(owner, pairs).ok();
    assert_eq!(keys(&body), ["audit_log", "found_oldest", "msg", "result"]);
    body["audit_log"].as_array().expect("entries").clone()
}

fn ids(entries: &[Value]) -> Vec<i64> {
    let ids = entries.iter().map(|one| one["id"].as_i64().expect("an id"));
    ids.collect()
}

fn rename(owner: &User, user: &User, name: &str) {
    let path = format!("/users/{}", user.user_id);
    owner.patch(&path, &[("full_name", name)]).ok();
}

fn server_of(alone: &Alone) -> &Server {
    alone
}

#[test]
fn owners_read_who_has_changed_what() {
    let alone = alone();
    let server = server_of(&alone);
    let (owner, user) = (server.user("owner"), server.user("member"));
    rename(&owner, &user, "Another Name");
    let id = user.id();
    let found = entries(&owner, &[("modified_user_id", &id)]);
    let [renamed, created] = &found[..] else {
        panic!("{found:?}");
    };
    let fields = [
        "acting",
        "acting_user_id",
        "data",
        "event_type",
        "id",
        "modified_user_id",
        "time",
    ];
    assert_eq!(keys(renamed), fields);
    assert_eq!(renamed["event_type"], "user_full_name_changed");
    assert_eq!(renamed["acting"], "user");
    assert_eq!(renamed["acting_user_id"], owner.user_id);
    assert_eq!(
        renamed["data"],
        json!({"old": user.full_name, "new": "Another Name"})
    );
    let now = spindle_tests::unix_now();
    let time = renamed["time"].as_i64().expect("a time");
    assert!((now - 120..=now + 5).contains(&time), "{time}");
    // The command that has created the account is the operator's.
    assert_eq!(created["event_type"], "user_created");
    assert_eq!(created["acting"], "operator");
    assert_eq!(created["acting_user_id"], Value::Null);
}

#[test]
fn filters_are_combined_and_pages_follow_one_another() {
    let alone = alone();
    let server = server_of(&alone);
    let (owner, other) = (server.user("owner"), server.user("owner"));
    let user = server.user("member");
    for number in 0..5 {
        rename(&owner, &user, &format!("Name {number}"));
    }
    rename(&other, &user, "The last name");
    let (own, id) = (owner.id(), user.id());
    let kinds = ("event_types", r#"["user_full_name_changed"]"#);
    let of_user = [("modified_user_id", id.as_str()), kinds];
    let all = entries(&owner, &of_user);
    assert_eq!(all.len(), 6);
    assert_eq!(all[0]["acting_user_id"], other.user_id);
    let by_owner = [of_user[0], kinds, ("acting_user_id", &own)];
    assert_eq!(ids(&entries(&owner, &by_owner)), ids(&all[1..]));
    let both = [of_user[0], kinds, ("user_id", &own)];
    assert_eq!(ids(&entries(&owner, &both)), ids(&all[1..]));
    let two = [
        of_user[0],
        ("event_types", r#"["user_created","user_role_changed"]"#),
    ];
    assert_eq!(entries(&owner, &two).len(), 1);
    assert_eq!(
        entries(&owner, &[of_user[0], ("event_types", "[]")]).len(),
        0
    );
    // Pages.
    let first = page(&owner, &[of_user[0], kinds, ("limit", "4")]).ok();
    assert_eq!(first["found_oldest"], false);
    let first = first["audit_log"].as_array().expect("entries").clone();
    let last = ids(&first)[3].to_string();
    let second = page(
        &owner,
        &[of_user[0], kinds, ("limit", "4"), ("before", &last)],
    )
    .ok();
    assert_eq!(second["found_oldest"], true);
    let second = second["audit_log"].as_array().expect("entries").clone();
    assert_eq!([ids(&first), ids(&second)].concat(), ids(&all));
    // Times: since is inclusive, until is not.
    let newest = all[0]["time"].as_i64().expect("a time");
    let (time, later) = (newest.to_string(), (newest + 1).to_string());
    let between = |since: &str, until: &str| {
        let found = entries(
            &owner,
            &[of_user[0], kinds, ("since", since), ("until", until)],
        );
        ids(&found)
    };
    assert!(between(&time, &later).contains(&ids(&all)[0]));
    assert!(!between("0", &time).contains(&ids(&all)[0]));
    assert!(between(&later, &later).is_empty());
}

#[test]
fn only_owners_read_it() {
    let alone = alone();
    let server = server_of(&alone);
    for role in ["administrator", "moderator", "member", "guest"] {
        page(&server.user(role), &[]).error(400, "UNAUTHORIZED_PRINCIPAL");
    }
    server
        .anonymous()
        .get("/audit_log", &[])
        .error(401, "UNAUTHORIZED");
}

#[test]
fn filters_select_and_nothing_else() {
    let alone = alone();
    let owner = server_of(&alone).user("owner");
    let quote = r#"["x' OR '1'='1"]"#;
    let many = json!(vec!["user_created"; 101]).to_string();
    for (name, text) in [
        ("event_types", quote),
        ("event_types", r#"["user_created'; DROP TABLE users; --"]"#),
        ("event_types", "user_created"),
        ("event_types", r#"{"a": 1}"#),
        ("event_types", "[1]"),
        ("event_types", &many),
        ("acting_user_id", "1 OR 1=1"),
        ("modified_user_id", "null,1"),
        ("since", "'0'"),
        ("before", "9223372036854775808"),
        ("limit", "0"),
        ("limit", "501"),
        ("limit", "-1"),
    ] {
        page(&owner, &[(name, text)]).bad_request();
    }
    assert!(!entries(&owner, &[("limit", "500")]).is_empty());
    let none = [("acting_user_id", "9223372036854775807")];
    assert!(entries(&owner, &none).is_empty());
    assert!(entries(&owner, &[("before", "1")]).is_empty());
}

#[test]
fn settings_have_their_old_and_new_values() {
    let alone = alone();
    let owner = server_of(&alone).user("owner");
    let long = "long ".repeat(150);
    owner.patch("/realm", &[("description", "short")]).ok();
    owner.patch("/realm", &[("description", &long)]).ok();
    let new = group_id(&owner, "role:moderators");
    let update = json!({"new": new}).to_string();
    owner
        .patch("/realm", &[("can_create_bots_group", &update)])
        .ok();
    let own = owner.id();
    let filter = [
        ("acting_user_id", own.as_str()),
        ("event_types", r#"["realm_settings_changed"]"#),
    ];
    let found = entries(&owner, &filter);
    let changed = &found[0]["data"]["permissions"]["can_create_bots_group"];
    assert_eq!(changed["new"], new);
    assert_ne!(changed["old"], Value::Null);
    let described = &found[1]["data"]["settings"]["description"];
    assert_eq!(described["old"], "short");
    assert_eq!(described["new"].as_str().map(str::len), Some(500));
}
