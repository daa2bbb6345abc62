//! POST and DELETE /default_streams, `realm_default_streams`, and the event
//! (docs/protocol/register.md#sections, docs/protocol/events.md#default_streams,
//! docs/protocol/channels.md#add_default_channel,
//! docs/protocol/channels.md#remove_default_channel).

use serde_json::{Value, json};
use spindle_tests::fixture::{self, Channel, ChannelKind};
use spindle_tests::{Call, Queue, Reply, User};

use crate::support::{server, settle};

fn send(user: &User, method: &str, channel: &Channel) -> Reply {
    let id = channel.id();
    user.send(Call::new(method, "/default_streams").form(&[("stream_id", &id)]))
}

fn defaults(user: &User) -> Vec<Value> {
    let pairs = [("fetch_event_types", "[\"default_streams\"]")];
    let body = user.post("/register", &pairs).ok();
    body["realm_default_streams"].as_array().unwrap().clone()
}

fn lists_with(events: &[Value], channel: &Channel) -> Vec<bool> {
    let contains = |event: &Value| {
        let list = event["default_streams"].as_array()?;
        Some(list.contains(&json!(channel.stream_id)))
    };
    let mut found: Vec<bool> = events.iter().filter_map(contains).collect();
    // Other tests change the list too.
    found.dedup();
    found
}

#[test]
fn default_channels_are_stored_and_broadcast_to_all_but_guests() {
    let (admin, member) = (server().user("administrator"), server().user("member"));
    let guest = server().user("guest");
    let channel = fixture::channel(server(), ChannelKind::Public, &[&guest]);
    let types = ["default_streams", "user_status"];
    let mut received = Queue::of(&member, &types);
    let mut excluded = Queue::of(&guest, &types);
    send(&admin, "POST", &channel).ok();
    assert!(defaults(&member).contains(&json!(channel.stream_id)));
    assert!(defaults(&guest).is_empty());
    send(&admin, "POST", &channel).ok();
    send(&admin, "DELETE", &channel).ok();
    assert!(!defaults(&member).contains(&json!(channel.stream_id)));
    send(&admin, "DELETE", &channel).ok();
    let events = settle(&mut received);
    let lists = lists_with(&events, &channel);
    assert!(lists.ends_with(&[true, false]), "{lists:?}");
    let events = settle(&mut excluded);
    assert!(
        events
            .iter()
            .all(|event| event["type"] != "default_streams")
    );
}

#[test]
fn only_administrators_set_default_channels_and_private_ones_are_refused() {
    let admin = server().user("administrator");
    let channel = fixture::channel(server(), ChannelKind::Public, &[]);
    let private = fixture::channel(server(), ChannelKind::PrivateShared, &[&admin]);
    for role in ["moderator", "member", "guest"] {
        let user = server().user(role);
        for method in ["POST", "DELETE"] {
            send(&user, method, &channel).error(400, "UNAUTHORIZED_PRINCIPAL");
        }
    }
    send(&admin, "POST", &private).bad_request();
    let missing = admin.post("/default_streams", &[("stream_id", "99999999")]);
    missing.error(400, "STREAM_DOES_NOT_EXIST");
    let missing = admin.post("/default_streams", &[]);
    assert_eq!(
        missing.error(400, "REQUEST_VARIABLE_MISSING")["var_name"],
        "stream_id"
    );
    admin
        .post("/default_streams", &[("stream_id", "x")])
        .bad_request();
}
