//! The view of guests with limited access to users: the users and channels of their conversations,
//! from the moment they share one until they share none any more
//! (docs/protocol/events.md#capabilities, docs/protocol/register.md#realm).

use serde_json::{Value, json};
use spindle_tests::fixture::{self, Channel, ChannelKind};
use spindle_tests::{Queue, User};

use super::hidden_users::{World, find, server, world};

fn principals(user: &User) -> String {
    json!([user.user_id]).to_string()
}

fn bring(admin: &User, channel: &Channel, user: &User) {
    let names = json!([{"name": channel.name}]).to_string();
    let pairs = [
        ("subscriptions", names.as_str()),
        ("principals", &principals(user)),
    ];
    admin.post("/users/me/subscriptions", &pairs).ok();
}

fn take_out(admin: &User, channel: &Channel, user: &User) {
    let names = json!([channel.name]).to_string();
    let pairs = [
        ("subscriptions", names.as_str()),
        ("principals", &principals(user)),
    ];
    admin.delete("/users/me/subscriptions", &pairs).ok();
}

fn snapshot(user: &User) -> Value {
    let pairs = [
        ("event_types", "[]"),
        (
            "fetch_event_types",
            r#"["realm_user", "subscription", "stream", "default_streams"]"#,
        ),
        ("include_subscribers", "true"),
        ("client_capabilities", r#"{"user_list_incomplete": true}"#),
    ];
    user.post("/register", &pairs).ok()
}

#[test]
fn users_appear_and_vanish_with_shared_channels() {
    let World {
        guest, stranger, ..
    } = world();
    let admin = server().user("administrator");
    let channel = fixture::channel(server(), ChannelKind::PrivateShared, &[&guest, &admin]);
    let pairs = [
        ("event_types", r#"["realm_user", "subscription"]"#),
        ("fetch_event_types", "[]"),
        ("client_capabilities", r#"{"user_list_incomplete": true}"#),
    ];
    let mut queue = Queue::open(&guest, &pairs);
    let path = format!("/users/{}", stranger.id());
    let missing = guest.get("/users/999999", &[]).bad_request();
    assert_eq!(guest.get(&path, &[]).bad_request(), missing);
    let is = |event: &Value, kind: &str, op: &str| {
        let about = event["person"]["user_id"] == stranger.user_id
            || event["user_ids"] == json!([stranger.user_id]);
        event["type"] == kind && event["op"] == op && about
    };
    let place = |events: &[Value], kind: &str, op: &str| {
        events.iter().position(|event| is(event, kind, op))
    };
    bring(&admin, &channel, &stranger);
    let events = queue.until(|event| is(event, "subscription", "peer_add"));
    let added = place(&events, "realm_user", "add").expect("the new user is added");
    assert!(Some(added) < place(&events, "subscription", "peer_add"));
    assert_eq!(
        events[added]["person"]["full_name"],
        stranger.full_name.as_str()
    );
    guest.get(&path, &[]).ok();
    assert!(find(&snapshot(&guest)["realm_users"], &stranger).is_some());
    take_out(&admin, &channel, &stranger);
    let mut events = queue.until(|event| is(event, "realm_user", "remove"));
    events.extend(queue.poll());
    let removed = place(&events, "realm_user", "remove").expect("the user is removed");
    assert!(place(&events, "subscription", "peer_remove") < Some(removed));
    assert_eq!(guest.get(&path, &[]).bad_request(), missing);
    assert!(find(&snapshot(&guest)["realm_users"], &stranger).is_none());
}

#[test]
fn a_user_stays_visible_until_the_last_shared_conversation_ends() {
    let World { guest, known, .. } = world();
    let admin = server().user("administrator");
    let second = fixture::channel(server(), ChannelKind::Public, &[&guest, &known, &admin]);
    let path = format!("/users/{}", known.id());
    take_out(&admin, &second, &known);
    guest.get(&path, &[]).ok();
    let text = [
        ("type", "direct"),
        ("to", &principals(&guest)),
        ("content", "x"),
    ];
    known.post("/messages", &text).ok();
    let sql = "UPDATE subscriptions SET active = 0 WHERE user_id = ?1";
    server().database().execute(sql, [known.user_id]).unwrap();
    guest.get(&path, &[]).ok();
}

#[test]
fn guests_see_only_their_own_channels() {
    let World {
        guest,
        known,
        stranger,
    } = world();
    let own = fixture::channel(server(), ChannelKind::Public, &[&guest, &known]);
    let public = fixture::channel(server(), ChannelKind::Public, &[&known, &stranger]);
    let private = fixture::channel(server(), ChannelKind::PrivateShared, &[&known]);
    let web = fixture::channel(server(), ChannelKind::WebPublic, &[&stranger]);
    let ids = |list: &Value| -> Vec<i64> {
        let list = list.as_array().expect("a list").iter();
        list.map(|channel| channel["stream_id"].as_i64().expect("stream_id"))
            .collect()
    };
    let listed = ids(&guest.get("/streams", &[]).ok()["streams"]);
    let state = snapshot(&guest);
    let known_of = ids(&state["streams"]);
    let never = ids(&state["never_subscribed"]);
    let subscribed = ids(&state["subscriptions"]);
    assert!(listed.contains(&own.stream_id) && known_of.contains(&own.stream_id));
    assert!(subscribed.contains(&own.stream_id));
    for hidden in [&public, &private] {
        for list in [&listed, &known_of, &never, &subscribed] {
            assert!(!list.contains(&hidden.stream_id), "{}", hidden.name);
        }
        for path in ["/streams/{}", "/streams/{}/members"] {
            let answer = |id: &str| {
                let reply = guest.get(&path.replace("{}", id), &[]);
                (reply.status, reply.body.to_string().replace(id, "N"))
            };
            assert_eq!(answer(&hidden.id()), answer("999999"), "{path}");
        }
        let by_name = [("stream", hidden.name.as_str())];
        guest.get("/get_stream_id", &by_name).bad_request();
    }
    assert!(
        never.contains(&web.stream_id),
        "web-public channels are visible"
    );
    assert_eq!(state["realm_default_streams"], json!([]));
    // They see the subscribers of their own channels.
    let path = format!("/streams/{}/members", own.stream_id);
    let members = guest.get(&path, &[]).ok()["subscribers"].clone();
    assert_eq!(members, json!([guest.user_id, known.user_id]));
    let mut records = state["subscriptions"].as_array().unwrap().iter();
    let record = records
        .rfind(|channel| channel["stream_id"] == own.stream_id)
        .expect("the own channel");
    assert_eq!(record["subscribers"], members);
}

/// Other clients take a deactivated user out of the groups by themselves.
#[test]
fn guests_who_cannot_see_a_deactivated_user_receive_changes_of_groups() {
    let World {
        guest,
        known,
        stranger,
    } = world();
    let admin = server().user("administrator");
    for (user, is_seen) in [(&known, true), (&stranger, false)] {
        let mut queue = Queue::of(&guest, &["user_group", "realm_user", "user_status"]);
        let mut of_admin = Queue::of(&admin, &["user_group", "realm_user"]);
        admin.delete(&format!("/users/{}", user.id()), &[]).ok();
        let about = |event: &Value| {
            event["person"]["user_id"] == user.user_id || event["user_ids"] == json!([user.user_id])
        };
        let kinds = |events: Vec<Value>| -> Vec<Value> {
            let events = events.iter().filter(|event| about(event));
            events.map(|event| event["type"].clone()).collect()
        };
        let done = |event: &Value| about(event);
        let expected = if is_seen { "realm_user" } else { "user_group" };
        let mut events = queue.until(done);
        events.extend(queue.poll());
        let seen = kinds(events);
        assert!(
            !seen.is_empty() && seen.iter().all(|kind| kind == expected),
            "{seen:?}"
        );
        let mut events = of_admin.until(done);
        events.extend(of_admin.poll());
        assert_eq!(kinds(events), ["realm_user"]);
    }
}
