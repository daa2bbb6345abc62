//! GET /users/me/{stream_id}/topics (docs/protocol/topics.md#get_topics).

use serde_json::{Value, json};
use spindle_tests::fixture::{self, Channel, ChannelKind};
use spindle_tests::{Call, User};

use super::to_channel;
use crate::support::server;

fn path(channel: &Channel) -> String {
    format!("/users/me/{}/topics", channel.id())
}

fn topics(user: &User, channel: &Channel) -> Value {
    let pairs = [("allow_empty_topic_name", "true")];
    user.get(&path(channel), &pairs).ok()["topics"].clone()
}

#[test]
fn topics_are_listed_newest_first_in_their_latest_spelling() {
    let (user, outsider) = (server().user("member"), server().user("member"));
    let channel = fixture::channel(server(), ChannelKind::Public, &[&user]);
    assert_eq!(topics(&user, &channel), json!([]));
    let ids = ["tea", "", "b", "Tea"].map(|topic| to_channel(&user, &channel, topic, "x"));
    let expected = json!([
        {"name": "Tea", "max_id": ids[3]},
        {"name": "b", "max_id": ids[2]},
        {"name": "", "max_id": ids[1]},
    ]);
    assert_eq!(topics(&user, &channel), expected);
    assert_eq!(topics(&outsider, &channel), expected, "its history is open");
    let old = user.get(&path(&channel), &[]).ok();
    assert_eq!(old["topics"][2]["name"], "general chat");
}

#[test]
fn with_protected_history_only_received_topics_are_listed() {
    let (user, late) = (server().user("member"), server().user("member"));
    let channel = fixture::channel(server(), ChannelKind::PrivateProtected, &[&user]);
    to_channel(&user, &channel, "before", "x");
    let shared = to_channel(&user, &channel, "shared", "x");
    fixture::subscribe(server(), &late, &channel);
    assert_eq!(topics(&late, &channel), json!([]));
    let after = to_channel(&user, &channel, "shared", "x");
    assert_eq!(
        topics(&late, &channel),
        json!([{"name": "shared", "max_id": after}])
    );
    assert_eq!(topics(&user, &channel)[0]["max_id"], after);
    assert!(shared < after);
}

#[test]
fn channels_that_cannot_be_read_look_missing() {
    let user = server().user("member");
    let channel = fixture::channel(server(), ChannelKind::PrivateShared, &[&user]);
    to_channel(&user, &channel, "t", "x");
    let missing = Channel {
        stream_id: 999_999_999,
        ..channel.clone()
    };
    for role in ["member", "administrator", "guest"] {
        let other = server().user(role);
        for channel in [&channel, &missing] {
            other.get(&path(channel), &[]).bad_request();
        }
    }
    fixture::unsubscribe(server(), &user, &channel);
    user.get(&path(&channel), &[]).bad_request();
    user.send(Call::new("GET", "/users/me/5x/topics").undocumented())
        .error(404, "BAD_REQUEST");
}
