//! PATCH /users/{user_id} and PATCH /users/{email}: changes and events
//! (docs/protocol/users.md#update_user). Permissions are tested in `update_user_access.rs`.

use serde_json::{Value, json};
use spindle_tests::fixture::{self, ChannelKind};
use spindle_tests::{Queue, User, unique};

use super::{bare, entry, field, grant, profile, shown};
use crate::support::server;

fn path(user: &User) -> String {
    format!("/users/{}", user.id())
}

fn changes(queue: &mut Queue, user: &User, last: impl Fn(&Value) -> bool) -> Vec<Value> {
    let about = |event: &Value| event["person"]["user_id"] == user.user_id;
    let events = queue.until(|event| about(event) && last(&event["person"]));
    let mine = bare(events).into_iter().filter(about);
    mine.map(|mut event| event["person"].take()).collect()
}

#[test]
fn each_kind_of_change_is_an_event_in_a_fixed_order() {
    let admin = server().user("administrator");
    grant(server(), &admin, "can_change_user_emails");
    let (user, watcher) = (server().user("member"), server().user("guest"));
    let number = field(server(), 8, &[("editable_by_user", "false")]);
    let mut queue = Queue::of(&watcher, &["realm_user", "user_group"]);
    let email = format!("{}@example.com", unique("moved"));
    let data = entry(number, "it");
    let pairs = [
        ("new_email", email.as_str()),
        ("profile_data", &data),
        ("full_name", "  Moderate Person "),
        ("role", "300"),
    ];
    admin.patch(&path(&user), &pairs).ok();
    let id = user.user_id;
    assert_eq!(
        changes(&mut queue, &user, |person| person
            .get("new_email")
            .is_some()),
        [
            json!({"user_id": id, "role": 300}),
            json!({"user_id": id, "full_name": "Moderate Person"}),
            json!({"user_id": id, "custom_profile_field": {"id": number, "value": "it"}}),
            json!({"user_id": id, "delivery_email": email}),
            json!({"user_id": id, "new_email": email}),
        ]
    );
    let found = shown(&admin, &user);
    assert_eq!(found["full_name"], "Moderate Person");
    assert_eq!(
        (&found["role"], &found["email"]),
        (&json!(300), &json!(email))
    );
    assert_eq!(profile(&watcher, &user)[number.to_string()]["value"], "it");
}

/// Texts, ids of users, and null, which removes the stored value.
#[test]
fn administrators_set_and_remove_profile_values() {
    let admin = server().user("administrator");
    let (user, friend) = (server().user("member"), server().user("member"));
    let (words, people) = (field(server(), 5, &[]), field(server(), 6, &[]));
    let set = |first: Value, second: Value| {
        let data = json!([{"id": words, "value": first}, {"id": people, "value": second}]);
        let pairs = [("profile_data", data.to_string())];
        let pairs = pairs.each_ref().map(|(name, text)| (*name, text.as_str()));
        admin.patch(&path(&user), &pairs).ok();
        profile(&friend, &user)
    };
    let stored = set(json!("https://example.org"), json!([friend.user_id]));
    assert_eq!(stored[words.to_string()]["value"], "https://example.org");
    let ids = format!("[{}]", friend.id());
    assert_eq!(stored[people.to_string()]["value"], ids.as_str());
    let left = set(Value::Null, Value::Null);
    assert!(left.get(words.to_string()).is_none() && left.get(people.to_string()).is_none());
    for wrong in [
        json!([{"id": words}]),
        json!([{"value": "x"}]),
        json!({}),
        json!([5]),
    ] {
        let text = wrong.to_string();
        admin
            .patch(&path(&user), &[("profile_data", &text)])
            .bad_request();
    }
}

#[test]
fn unchanged_fields_send_no_events() {
    let admin = server().user("administrator");
    grant(server(), &admin, "can_change_user_emails");
    let (user, watcher) = (server().user("member"), server().user("member"));
    let mut queue = Queue::of(&watcher, &["realm_user"]);
    let pairs = [
        ("role", "400"),
        ("full_name", user.full_name.as_str()),
        ("new_email", &user.email),
        ("profile_data", "[]"),
    ];
    admin.patch(&path(&user), &pairs).ok();
    admin.patch(&path(&user), &[("full_name", "   ")]).ok();
    admin.patch(&path(&user), &[]).ok();
    admin
        .patch(&path(&user), &[("full_name", "Another Name")])
        .ok();
    let received = changes(&mut queue, &user, |person| {
        person.get("full_name").is_some()
    });
    assert_eq!(received.len(), 1, "{received:?}");
}

/// A late failure undoes the earlier changes, and no event is sent.
#[test]
fn a_late_failure_undoes_all_changes_of_a_user() {
    let admin = server().user("administrator");
    let (user, watcher) = (server().user("member"), server().user("member"));
    let number = field(server(), 4, &[]);
    let mut queue = Queue::of(&watcher, &["realm_user"]);
    let bad_date = entry(number, "never");
    for late in [
        ("profile_data", bad_date.as_str()),
        ("new_email", "x@example.com"),
    ] {
        let pairs = [("role", "300"), ("full_name", "Changed Name"), late];
        admin.patch(&path(&user), &pairs).bad_request();
    }
    let found = shown(&admin, &user);
    assert_eq!(found["role"], 400);
    assert_eq!(found["full_name"], user.full_name.as_str());
    admin
        .patch(&path(&user), &[("full_name", "Last Name")])
        .ok();
    let received = changes(&mut queue, &user, |person| {
        person.get("full_name").is_some()
    });
    assert_eq!(
        received,
        [json!({"user_id": user.user_id, "full_name": "Last Name"})]
    );
}

#[test]
fn names_of_users_are_checked() {
    let admin = server().user("administrator");
    let user = server().user("member");
    let long = "x".repeat(101);
    for name in [
        "x", &long, "a*b", "a`b", "a\\b", "a>b", "a\"b", "a@b", "Al|7", "a\u{1}b",
    ] {
        admin
            .patch(&path(&user), &[("full_name", name)])
            .bad_request();
    }
    assert_eq!(shown(&admin, &user)["full_name"], user.full_name.as_str());
    let fitting = "é".repeat(100);
    admin.patch(&path(&user), &[("full_name", &fitting)]).ok();
}

#[test]
fn a_role_moves_the_user_between_system_groups() {
    let admin = server().user("administrator");
    let (user, watcher) = (server().user("member"), server().user("member"));
    let group = |name: &str| -> i64 {
        let sql = "SELECT id FROM user_groups WHERE name = ?1";
        server()
            .database()
            .query_row(sql, [name], |row| row.get(0))
            .unwrap()
    };
    let mut queue = Queue::of(&watcher, &["realm_user", "user_group"]);
    admin.patch(&path(&user), &[("role", "300")]).ok();
    let about = |event: &Value| event["user_ids"] == json!([user.user_id]);
    let joins = |event: &Value| event["op"] == "add_members" && about(event);
    let events = bare(queue.until(joins));
    let groups: Vec<(&Value, &Value)> = events
        .iter()
        .filter(|event| about(event))
        .map(|event| (&event["op"], &event["group_id"]))
        .collect();
    assert_eq!(
        groups.last(),
        Some(&(&json!("add_members"), &json!(group("role:moderators"))))
    );
    assert!(groups.contains(&(&json!("remove_members"), &json!(group("role:members")))));
    let role = json!({"user_id": user.user_id, "role": 300});
    assert!(events.iter().any(|event| event["person"] == role));
}

/// Administrators can see that private channels exist; others cannot.
#[test]
fn private_channels_appear_and_vanish_with_the_role() {
    let owner = server().user("owner");
    let user = server().user("member");
    let stranger = server().user("member");
    let private = fixture::channel(server(), ChannelKind::PrivateShared, &[&stranger]);
    let archived = fixture::channel(server(), ChannelKind::PrivateShared, &[&stranger]);
    fixture::channel_column(server(), &archived, "is_archived", &true);
    let pairs = |archived: bool| {
        let capabilities = json!({"archived_channels": archived}).to_string();
        [
            ("event_types", "[\"stream\", \"realm_user\"]".to_owned()),
            ("fetch_event_types", "[]".to_owned()),
            ("client_capabilities", capabilities),
        ]
    };
    let open = |archived: bool| {
        let pairs = pairs(archived);
        let pairs: Vec<(&str, &str)> = pairs.iter().map(|(n, v)| (*n, v.as_str())).collect();
        Queue::open(&user, &pairs)
    };
    let (mut plain, mut knowing) = (open(false), open(true));
    let mut others = Queue::of(&stranger, &["stream", "realm_user"]);
    owner.patch(&path(&user), &[("role", "200")]).ok();
    owner.patch(&path(&user), &[("role", "400")]).ok();
    let back = |event: &Value| event["person"] == json!({"user_id": user.user_id, "role": 400});
    let ids = |events: &[Value], op: &str, list: &str| -> Vec<i64> {
        let streams = events
            .iter()
            .filter(|event| event["type"] == "stream" && event["op"] == op);
        let mut ids: Vec<i64> = streams
            .flat_map(|event| event[list].as_array().unwrap())
            .map(|stream| stream["stream_id"].as_i64().unwrap())
            .filter(|id| *id == private.stream_id || *id == archived.stream_id)
            .collect();
        ids.sort_unstable();
        ids
    };
    let gone = |event: &Value| event["op"] == "delete";
    for (queue, expected) in [
        (&mut plain, vec![private.stream_id]),
        (&mut knowing, vec![private.stream_id, archived.stream_id]),
    ] {
        let mut events = queue.until(back);
        if !events.iter().any(gone) {
            events.extend(queue.until(gone));
        }
        events.extend(queue.poll());
        assert_eq!(ids(&events, "create", "streams"), expected);
        assert_eq!(ids(&events, "delete", "streams"), expected);
    }
    let events = others.until(back);
    assert!(
        events.iter().all(|event| event["type"] != "stream"),
        "only the user receives them"
    );
}

/// The addresses of others that a promoted user can see.
#[test]
fn addresses_appear_and_vanish_with_the_role() {
    let owner = server().user("owner");
    let (user, other) = (server().user("member"), server().user("member"));
    fixture::user_setting(server(), &other, "email_address_visibility", "3");
    let mut queue = Queue::of(&user, &["realm_user"]);
    owner.patch(&path(&user), &[("role", "200")]).ok();
    let about = |event: &Value| event["person"]["user_id"] == other.user_id;
    let event = queue.expect(about);
    assert_eq!(event["person"]["delivery_email"], other.email.as_str());
    owner.patch(&path(&user), &[("role", "300")]).ok();
    let event = queue.expect(about);
    assert_eq!(event["person"]["delivery_email"], Value::Null);
}

#[test]
fn the_queues_of_a_guest_end_with_a_new_role() {
    let admin = server().user("administrator");
    let guest = server().user("guest");
    let queue = Queue::of(&guest, &["message"]);
    admin.patch(&path(&guest), &[("role", "400")]).ok();
    queue.ends();
}

#[test]
fn a_new_address_is_sent_to_those_who_can_see_it() {
    let admin = server().user("administrator");
    grant(server(), &admin, "can_change_user_emails");
    let (user, watcher) = (server().user("member"), server().user("member"));
    fixture::user_setting(server(), &user, "email_address_visibility", "3");
    let hide = "UPDATE users SET email = 'user' || id || '@hidden.example', \
         email_folded = 'user' || id || '@hidden.example', avatar_source = 'G' WHERE id = ?1";
    server().database().execute(hide, [user.user_id]).unwrap();
    let types = [
        ("event_types", "[\"realm_user\"]"),
        ("fetch_event_types", "[]"),
    ];
    let (mut seeing, mut blind) = (Queue::open(&admin, &types), Queue::open(&watcher, &types));
    let email = format!("{}@example.com", unique("moved"));
    admin.patch(&path(&user), &[("new_email", &email)]).ok();
    let avatar = |person: &Value| person.get("avatar_version").is_some();
    let received = changes(&mut seeing, &user, avatar);
    assert_eq!(
        received[0],
        json!({"user_id": user.user_id, "delivery_email": email})
    );
    assert_eq!(
        received[1]["avatar_url"],
        Value::Null,
        "the client computes it"
    );
    assert_eq!(received.len(), 2, "the API email stays: {received:?}");
    let received = changes(&mut blind, &user, avatar);
    assert_eq!(received.len(), 1, "{received:?}");
    assert!(received[0]["avatar_url"].is_string());
    assert_eq!(received[0]["avatar_source"], "G");
    assert_eq!(shown(&watcher, &user)["delivery_email"], Value::Null);
    assert_eq!(shown(&admin, &user)["delivery_email"], email.as_str());
}

#[test]
fn the_path_may_contain_the_address() {
    let admin = server().user("administrator");
    let user = server().user("member");
    let path = format!("/users/{}", user.email);
    admin.patch(&path, &[("full_name", "By Address")]).ok();
    assert_eq!(shown(&admin, &user)["full_name"], "By Address");
    admin
        .patch("/users/nobody@example.com", &[("full_name", "x y")])
        .bad_request();
}
