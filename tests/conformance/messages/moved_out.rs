//! Messages that were moved out of a channel with restricted access: their new readers learn where
//! the messages are, but neither where they were nor how they were edited there.

use serde_json::{Value, json};
use spindle_tests::fixture::{self, Channel, ChannelKind};
use spindle_tests::{Call, User, unique};

use super::edit_support::{heard, listen, moved, patch};
use super::to_channel;
use crate::support::server;

/// A move with a new topic, from a channel that the insider can read and the outsider cannot.
struct Moved {
    insider: User,
    outsider: User,
    from: Channel,
    to: Channel,
    id: i64,
    /// The old channel and topic, which must not be disclosed to the outsider.
    secrets: [String; 3],
    inside_event: Value,
    outside_event: Value,
}

fn moved_out(kind: ChannelKind, outsider: &str) -> Moved {
    let (insider, outsider) = (server().user("member"), server().user(outsider));
    let from = fixture::channel(server(), kind, &[&insider]);
    let to = fixture::channel(server(), ChannelKind::Public, &[&insider, &outsider]);
    let (topic, text) = (unique("secret topic "), unique("secret text "));
    let id = to_channel(&insider, &from, &topic, &text);
    patch(&insider, id, &[("content", "harmless")]).ok();
    let mut queues = [&insider, &outsider].map(listen);
    patch(&insider, id, &[("stream_id", &to.id()), ("topic", "open")]).ok();
    let received = queues.each_mut().map(|queue| {
        let mut events = heard(queue, "update_message");
        assert_eq!(events.len(), 1, "{events:?}");
        events.remove(0)
    });
    let [inside_event, outside_event] = received;
    Moved {
        secrets: [from.name.clone(), topic, text],
        insider,
        outsider,
        from,
        to,
        id,
        inside_event,
        outside_event,
    }
}

fn edits(user: &User, id: i64) -> Value {
    super::read(user, id)["edit_history"].clone()
}

/// Every way to read the message and its history.
fn answers(user: &User, moved: &Moved) -> Vec<Value> {
    let (id, to) = (moved.id, moved.to.id());
    let narrow = json!([{"operator": "channel", "operand": moved.to.stream_id}]).to_string();
    let ids = json!([id]).to_string();
    let path = format!("/messages/{id}");
    [
        Call::new("GET", &path),
        Call::new("GET", &format!("{path}/history")),
        Call::new("GET", "/messages").query(&[("message_ids", &ids)]),
        Call::new("GET", "/messages").query(&[
            ("anchor", "newest"),
            ("num_before", "10"),
            ("num_after", "0"),
            ("narrow", &narrow),
        ]),
        Call::new("GET", "/messages/matches_narrow")
            .query(&[("msg_ids", &ids), ("narrow", &narrow)]),
        Call::new("GET", &format!("/users/me/{to}/topics")),
    ]
    .into_iter()
    .map(|call| user.send(call).ok())
    .collect()
}

#[test]
fn new_readers_learn_nothing_about_the_old_channel() {
    for (kind, role) in [
        (ChannelKind::PrivateShared, "member"),
        (ChannelKind::PrivateProtected, "administrator"),
        (ChannelKind::PrivateShared, "guest"),
        // Guests cannot see public channels either.
        (ChannelKind::Public, "guest"),
    ] {
        let there = moved_out(kind, role);
        let Moved { from, to, id, .. } = &there;
        let [name, topic, text] = &there.secrets;
        assert_eq!(there.inside_event["stream_name"], name.as_str());
        assert_eq!(there.inside_event["orig_subject"], topic.as_str());
        assert_eq!(there.outside_event.get("stream_name"), None);
        // These fields show clients that there was a move.
        assert_eq!(
            moved(&there.outside_event),
            json!({"message_id": id, "message_ids": [id], "stream_id": from.stream_id,
                "propagate_mode": "change_one", "orig_subject": "", "subject": "open",
                "new_stream_id": to.stream_id})
        );
        let mut found = answers(&there.outsider, &there);
        found.push(there.outside_event.clone());
        for answer in found {
            let answer = answer.to_string();
            for secret in &there.secrets {
                assert!(!answer.contains(secret.as_str()), "{role}: {answer}");
            }
        }
        let entries = edits(&there.outsider, *id);
        assert_eq!(entries.as_array().unwrap().len(), 1, "{entries}");
        assert_eq!(entries[0]["prev_stream"], from.stream_id);
        assert_eq!(entries[0]["stream"], to.stream_id);
        let entries = edits(&there.insider, *id);
        assert_eq!(entries[0]["prev_topic"], topic.as_str());
        assert_eq!(entries[1]["prev_content"], text.as_str());
        // Later changes are in the events of both.
        patch(&there.insider, *id, &[("topic", "later")]).ok();
        assert_eq!(edits(&there.outsider, *id)[0]["prev_topic"], "open");
        assert_eq!(edits(&there.insider, *id)[2]["prev_content"], text.as_str());
        // A user who subscribes to the old channel sees the earlier history.
        fixture::subscribe(server(), &there.outsider, from);
        assert_eq!(edits(&there.outsider, *id), edits(&there.insider, *id));
    }
}

/// Clients without the capability get the name of the empty topic in a history too.
#[test]
fn the_empty_topic_has_its_name_in_histories() {
    let user = server().user("member");
    let channel = fixture::channel(server(), ChannelKind::Public, &[&user]);
    let id = to_channel(&user, &channel, "", "x");
    patch(&user, id, &[("topic", "t")]).ok();
    patch(&user, id, &[("topic", "")]).ok();
    let (path, ids) = (format!("/messages/{id}"), format!("[{id}]"));
    let entries = |known: &str| {
        let known = ("allow_empty_topic_name", known);
        let one = user.get(&path, &[known]).ok()["message"]["edit_history"].clone();
        let pairs = [("message_ids", ids.as_str()), known];
        let listed = user.get("/messages", &pairs).ok();
        assert_eq!(listed["messages"][0]["edit_history"], one);
        [
            &one[0]["topic"],
            &one[0]["prev_topic"],
            &one[1]["prev_topic"],
        ]
        .map(Value::clone)
    };
    assert_eq!(entries("false"), ["general chat", "t", "general chat"]);
    assert_eq!(entries("true"), ["", "t", ""]);
}
