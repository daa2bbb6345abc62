//! Users in the snapshot (docs/protocol/users.md#user-object,
//! docs/protocol/traps.md#deactivated-users).

use serde_json::Value;

use crate::support::{keys, server};

fn people(client: &spindle_tests::Client, extra: &[(&str, &str)]) -> Value {
    let mut pairs = vec![
        ("event_types", "[]"),
        ("fetch_event_types", "[\"realm_user\"]"),
    ];
    pairs.extend(extra);
    client.post("/register", &pairs).ok()
}

fn find(list: &Value, id: i64) -> Option<&Value> {
    list.as_array()
        .unwrap()
        .iter()
        .find(|person| person["user_id"] == id)
}

#[test]
fn all_users_are_listed_with_the_known_fields() {
    let user = server().user("member");
    let bot = server().bot();
    let body = people(&user, &[]);
    let own = find(&body["realm_users"], user.user_id).expect("the requester is listed");
    assert_eq!(
        keys(own),
        [
            "avatar_url",
            "avatar_version",
            "date_joined",
            "delivery_email",
            "email",
            "full_name",
            "is_admin",
            "is_bot",
            "is_guest",
            "is_imported_stub",
            "is_owner",
            "profile_data",
            "role",
            "timezone",
            "user_id",
        ]
    );
    let robot = find(&body["realm_users"], bot.user_id).expect("bots are listed");
    assert_eq!(robot["is_bot"], true);
    assert_eq!(robot["bot_type"], 1);
    assert!(robot.get("bot_owner_id").is_some());
    assert!(robot.get("profile_data").is_none());
    for person in body["realm_users"].as_array().unwrap() {
        assert!(person.get("is_active").is_none(), "{person}");
        assert!(person.get("api_key").is_none());
    }
}

#[test]
fn deactivated_users_are_listed_separately() {
    let user = server().user("member");
    let gone = server().user("member");
    server().admin(&["user", "deactivate", "--email", &gone.email]);
    let body = people(&user, &[]);
    assert!(find(&body["realm_users"], gone.user_id).is_none());
    let listed = find(&body["realm_non_active_users"], gone.user_id).expect("still listed");
    assert_eq!(listed["full_name"], gone.full_name.as_str());
    assert!(listed.get("is_active").is_none());
}

#[test]
fn avatars_are_null_only_for_clients_that_compute_them() {
    let user = server().user("member");
    let body = people(&user, &[("client_gravatar", "false")]);
    for list in ["realm_users", "realm_non_active_users", "cross_realm_bots"] {
        for person in body[list].as_array().unwrap() {
            assert!(person["avatar_url"].is_string(), "{person}");
        }
    }
}

/// A new user is sent to existing queues as an event with the same fields.
#[test]
fn a_new_user_is_announced() {
    let user = server().user("guest");
    let mut queue = spindle_tests::Queue::of(&user, &["realm_user"]);
    let new = server().user("member");
    let event = queue.expect(|event| event["person"]["user_id"] == new.user_id);
    assert_eq!(event["op"], "add");
    assert_eq!(event["person"]["full_name"], new.full_name.as_str());
    let body = people(&user, &[]);
    let listed = find(&body["realm_users"], new.user_id).unwrap();
    for (name, value) in listed.as_object().unwrap() {
        assert_eq!(&event["person"][name.as_str()], value, "{name}");
    }
}

#[test]
fn changes_by_the_operator_are_announced() {
    let watcher = server().user("member");
    let user = server().user("member");
    let mut queue = spindle_tests::Queue::of(&watcher, &["realm_user"]);
    let about = |event: &Value, key: &str| {
        event["person"]["user_id"] == user.user_id && event["person"].get(key).is_some()
    };
    server().admin(&[
        "user",
        "set-role",
        "--email",
        &user.email,
        "--role",
        "moderator",
    ]);
    let event = queue.expect(|event| about(event, "role"));
    assert_eq!(event["person"]["role"], 300);
    assert_eq!(
        keys(&event["person"]),
        ["role", "user_id"],
        "one kind of change in one event"
    );
    server().admin(&["user", "deactivate", "--email", &user.email]);
    let event = queue.expect(|event| about(event, "is_active"));
    assert_eq!(event["person"]["is_active"], false);
    server().admin(&["user", "reactivate", "--email", &user.email]);
    let event = queue.expect(|event| about(event, "is_active"));
    assert_eq!(event["person"]["is_active"], true);
}
