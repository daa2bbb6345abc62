//! System groups follow roles and the waiting period (docs/protocol/permissions.md#system-groups).

use serde_json::{Value, json};
use spindle_tests::{Options, Queue, Server, User};

use super::system;
use crate::support::server;

/// The system groups that contain a user as a direct member.
fn groups_of(viewer: &User, user: &User) -> Vec<String> {
    let body = viewer.get("/user_groups", &[]).ok();
    let groups = body["user_groups"].as_array().unwrap().iter();
    groups
        .filter(|record| record["is_system_group"] == true)
        .filter(|record| {
            record["members"]
                .as_array()
                .unwrap()
                .contains(&json!(user.user_id))
        })
        .map(|record| record["name"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn system_groups_are_nested_in_a_chain() {
    let user = server().user("member");
    let body = user.get("/user_groups", &[]).ok();
    let groups = body["user_groups"].as_array().unwrap();
    let id = |name: &str| system(&user, name);
    for (above, below) in [
        ("role:internet", Some("role:everyone")),
        ("role:everyone", Some("role:members")),
        ("role:members", Some("role:fullmembers")),
        ("role:fullmembers", Some("role:moderators")),
        ("role:moderators", Some("role:administrators")),
        ("role:administrators", Some("role:owners")),
        ("role:owners", None),
        ("role:nobody", None),
    ] {
        let record = groups
            .iter()
            .find(|record| record["name"] == above)
            .unwrap();
        let expected: Vec<i64> = below.into_iter().map(id).collect();
        assert_eq!(record["direct_subgroup_ids"], json!(expected), "{above}");
        assert_eq!(
            record["can_manage_group"],
            json!(id("role:nobody")),
            "{above}"
        );
        assert_eq!(record["creator_id"], Value::Null, "{above}");
    }
}

#[test]
fn membership_follows_the_role() {
    let viewer = server().user("member");
    let user = server().user("guest");
    assert_eq!(groups_of(&viewer, &user), ["role:everyone"]);
    for (role, expected) in [
        ("member", &["role:members", "role:fullmembers"][..]),
        ("moderator", &["role:moderators"]),
        ("administrator", &["role:administrators"]),
        ("owner", &["role:owners"]),
        ("guest", &["role:everyone"]),
    ] {
        server().admin(&["user", "set-role", "--email", &user.email, "--role", role]);
        assert_eq!(groups_of(&viewer, &user), expected, "{role}");
    }
    server().admin(&["user", "deactivate", "--email", &user.email]);
    assert_eq!(groups_of(&viewer, &user), [""; 0]);
    server().admin(&["user", "reactivate", "--email", &user.email]);
    assert_eq!(groups_of(&viewer, &user), ["role:everyone"]);
}

/// With a waiting period, a timer makes members full members; lists, events and permissions change
/// at the same moment.
#[test]
fn membership_in_full_members_follows_the_waiting_period() {
    let server = Server::spawn(Options::default());
    let set =
        "UPDATE realms SET settings = json_set(settings, '$.waiting_period_threshold', json('2'))";
    server.database().execute(set, []).unwrap();
    let (owner, user) = (server.user("owner"), server.user("member"));
    let moderator = server.user("moderator");
    assert_eq!(groups_of(&owner, &user), ["role:members"]);
    let full = system(&owner, "role:fullmembers");
    let pairs = [
        ("event_types", "[\"user_group\"]"),
        ("fetch_event_types", "[]"),
        ("idle_queue_timeout", "604800"),
    ];
    let mut queue = Queue::open(&owner, &pairs);
    let day = 24 * 60 * 60;
    for seconds in [day, day - 60] {
        server.advance_past_run(seconds, "promote-full-members");
        assert_eq!(groups_of(&owner, &user), ["role:members"], "not yet");
    }
    server.advance(2 * 60 * 60);
    let event = queue.expect(|event| event["group_id"] == full);
    assert_eq!(event["op"], "add_members");
    assert_eq!(event["user_ids"], json!([user.user_id]));
    assert_eq!(
        groups_of(&owner, &user),
        ["role:members", "role:fullmembers"]
    );
    assert_eq!(groups_of(&owner, &moderator), ["role:moderators"]);
}
