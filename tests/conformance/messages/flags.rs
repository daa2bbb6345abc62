//! POST /messages/flags (docs/protocol/flags.md#update_message_flags) and the event
//! `update_message_flags`.

use serde_json::{Value, json};
use spindle_tests::fixture::{self, ChannelKind};
use spindle_tests::{Queue, Reply, User};

use super::{direct, read, to_channel};
use crate::support::{server, settle};

const TYPES: [&str; 2] = ["update_message_flags", "user_status"];

#[track_caller]
fn mark(user: &User, ids: &[i64], op: &str, flag: &str) -> Reply {
    let ids = json!(ids).to_string();
    let pairs = [("messages", ids.as_str()), ("op", op), ("flag", flag)];
    user.post("/messages/flags", &pairs)
}

fn flag_events(queue: &mut Queue) -> Vec<Value> {
    let mut events = settle(queue);
    events.retain(|event| event["type"] == "update_message_flags");
    for event in &mut events {
        event.as_object_mut().unwrap().remove("id");
    }
    events
}

#[test]
fn flags_are_added_and_removed() {
    let (user, other) = (server().user("member"), server().user("member"));
    let ids = [direct(&other, &[&user], "a"), direct(&other, &[&user], "b")];
    for flag in ["starred", "collapsed", "read"] {
        let before = read(&user, ids[1])["flags"].clone();
        let answer = mark(&user, &[ids[1], ids[0], ids[1]], "add", flag).ok();
        assert_eq!(
            answer["messages"],
            json!([ids[1], ids[0], ids[1]]),
            "as sent"
        );
        assert_eq!(answer["ignored_because_not_subscribed_channels"], json!([]));
        for id in ids {
            let flags = read(&user, id)["flags"].clone();
            assert!(flags.as_array().unwrap().contains(&json!(flag)));
        }
        mark(&user, &ids[1..], "remove", flag).ok();
        assert_eq!(read(&user, ids[1])["flags"], before);
    }
    assert_eq!(
        read(&user, ids[0])["flags"],
        json!(["read", "starred", "collapsed"])
    );
    // Flags belong to each user separately.
    assert_eq!(read(&other, ids[0])["flags"], json!([]));
}

#[test]
fn other_flags_cannot_be_edited() {
    let user = server().user("member");
    let id = direct(&user, &[&user], "x");
    for flag in [
        "mentioned",
        "stream_wildcard_mentioned",
        "topic_wildcard_mentioned",
        "wildcard_mentioned",
        "has_alert_word",
        "historical",
        "is_private",
        "nonsense",
        "Read",
    ] {
        mark(&user, &[id], "add", flag).bad_request();
        mark(&user, &[id], "remove", flag).bad_request();
    }
    mark(&user, &[id], "toggle", "read").bad_request();
    let ids = format!("[{id}]");
    let missing = |pairs: &[(&str, &str)], name: &str| {
        let body = user
            .post("/messages/flags", pairs)
            .error(400, "REQUEST_VARIABLE_MISSING");
        assert_eq!(body["var_name"], name);
    };
    missing(&[("op", "add"), ("flag", "read")], "messages");
    missing(&[("messages", &ids), ("flag", "read")], "op");
    missing(&[("messages", &ids), ("op", "add")], "flag");
    for ids in ["[\"1\"]", "1", "[1.0]", "x"] {
        let pairs = [("messages", ids), ("op", "add"), ("flag", "read")];
        user.post("/messages/flags", &pairs).bad_request();
    }
    assert_eq!(mark(&user, &[], "add", "read").ok()["messages"], json!([]));
}

/// They are passed over, whether they exist or not: clients mark what they have shown a moment ago.
#[test]
fn messages_that_cannot_be_read_are_passed_over() {
    let (user, other) = (server().user("member"), server().user("member"));
    let hidden = fixture::channel(server(), ChannelKind::PrivateShared, &[&other]);
    let own = direct(&user, &[&user], "x");
    let mut queue = Queue::of(&user, &TYPES);
    let mut answers = Vec::new();
    for id in [
        direct(&other, &[&other], "x"),
        to_channel(&other, &hidden, "t", "x"),
        999_999_999,
    ] {
        for flag in ["starred", "read"] {
            for op in ["add", "remove"] {
                answers.push(mark(&user, &[id], op, flag).ok());
            }
        }
        assert_eq!(
            mark(&user, &[id, own], "add", "collapsed").ok()["messages"],
            json!([own])
        );
        mark(&user, &[own], "remove", "collapsed").ok();
    }
    answers.dedup();
    assert_eq!(
        answers,
        [json!({"result": "success", "msg": "", "messages": [],
            "ignored_because_not_subscribed_channels": []})]
    );
    let events = flag_events(&mut queue);
    assert!(events.iter().all(|event| event["messages"] == json!([own])));
}

/// A delivered message that has become unreadable is like a missing one.
#[test]
fn a_message_that_became_unreadable_is_not_flagged() {
    let (user, other) = (server().user("member"), server().user("member"));
    let private = fixture::channel(server(), ChannelKind::PrivateShared, &[&user, &other]);
    let closed = to_channel(&other, &private, "t", "x");
    let open = direct(&other, &[&user], "x");
    fixture::unsubscribe(server(), &user, &private);
    let flags = || -> i64 {
        let sql = "SELECT flags FROM user_messages WHERE user_id = ?1 AND message_id = ?2";
        let ids = [user.user_id, closed];
        let database = server().database();
        database.query_row(sql, ids, |row| row.get(0)).unwrap()
    };
    let before = flags();
    let mut queue = Queue::of(&user, &TYPES);
    for flag in ["starred", "collapsed", "read"] {
        for op in ["add", "remove"] {
            mark(&user, &[open, closed], op, flag).ok();
        }
    }
    for event in flag_events(&mut queue) {
        assert_eq!(event["messages"], json!([open]));
    }
    assert_eq!(flags(), before);
    fixture::subscribe(server(), &user, &private);
    mark(&user, &[closed], "add", "starred").ok();
}

#[test]
fn flagging_an_undelivered_message_makes_it_historical() {
    let (user, late) = (server().user("member"), server().user("member"));
    let channel = fixture::channel(server(), ChannelKind::Public, &[&user]);
    let ids: Vec<i64> = (0..3)
        .map(|_| to_channel(&user, &channel, "t", "x"))
        .collect();
    mark(&late, &ids[..1], "add", "starred").ok();
    assert_eq!(
        read(&late, ids[0])["flags"],
        json!(["read", "starred", "historical"])
    );
    // They are read already: nothing is stored, and no event is sent.
    let mut queue = Queue::of(&late, &TYPES);
    mark(&late, &ids[..2], "add", "read").ok();
    assert!(flag_events(&mut queue).is_empty());
    // Only subscribers can mark them as unread.
    let answer = mark(&late, &ids, "remove", "read").ok();
    assert_eq!(
        answer["ignored_because_not_subscribed_channels"],
        json!([channel.stream_id])
    );
    assert!(flag_events(&mut queue).is_empty());
    assert_eq!(read(&late, ids[1])["flags"], json!(["read", "historical"]));
    fixture::subscribe(server(), &late, &channel);
    let answer = mark(&late, &ids, "remove", "read").ok();
    assert_eq!(answer["ignored_because_not_subscribed_channels"], json!([]));
    assert_eq!(read(&late, ids[1])["flags"], json!(["historical"]));
    let events = flag_events(&mut queue);
    assert_eq!(events[0]["messages"], json!(ids));
    assert_eq!(
        events[0]["message_details"][ids[1].to_string()],
        json!({"type": "stream", "stream_id": channel.stream_id, "topic": "t"})
    );
}

#[test]
fn direct_messages_become_unread_beside_messages_of_left_channels() {
    let (user, other) = (server().user("member"), server().user("member"));
    let channel = fixture::channel(server(), ChannelKind::Public, &[&user, &other]);
    let ids = [
        to_channel(&other, &channel, "t", "x"),
        direct(&other, &[&user], "x"),
    ];
    mark(&user, &ids, "add", "read").ok();
    fixture::unsubscribe(server(), &user, &channel);
    let answer = mark(&user, &ids, "remove", "read").ok();
    assert_eq!(
        answer["ignored_because_not_subscribed_channels"],
        json!([channel.stream_id])
    );
    assert_eq!(read(&user, ids[0])["flags"], json!(["read"]));
    assert_eq!(read(&user, ids[1])["flags"], json!([]));
}

#[test]
fn the_event_with_the_changed_flags_goes_to_the_user_only() {
    let (user, other) = (server().user("member"), server().user("member"));
    let channel = fixture::channel(server(), ChannelKind::Public, &[&user, &other]);
    let group = direct(&other, &[&user, &server().user("member")], "x");
    let own = direct(&user, &[&user], "x");
    let mention = format!("@**{}|{}**", user.full_name, user.user_id);
    let ids = [
        to_channel(&other, &channel, "Tea", &mention),
        to_channel(&other, &channel, "", "x"),
        direct(&other, &[&user], "x"),
        group,
        own,
    ];
    let types = "[\"update_message_flags\", \"user_status\"]";
    let mut queue = Queue::of(&user, &TYPES);
    let mut capable = Queue::open(
        &user,
        &[
            ("event_types", types),
            ("client_capabilities", "{\"empty_topic_name\": true}"),
        ],
    );
    let mut others = Queue::of(&other, &TYPES);
    mark(&user, &ids[..1], "add", "starred").ok();
    mark(&user, &ids[..2], "add", "starred").ok();
    mark(&user, &ids[..2], "add", "starred").ok();
    mark(&user, &ids[..1], "remove", "starred").ok();
    mark(&user, &ids, "add", "read").ok();
    mark(&user, &ids, "remove", "read").ok();
    let event = |op: &str, flag: &str, ids: &[i64]| {
        let mut ids = ids.to_vec();
        ids.sort_unstable();
        json!({"type": "update_message_flags", "op": op, "operation": op, "flag": flag,
            "messages": ids, "all": false})
    };
    let events = flag_events(&mut queue);
    assert_eq!(
        events[..4],
        [
            event("add", "starred", &ids[..1]),
            event("add", "starred", &ids[1..2]),
            event("remove", "starred", &ids[..1]),
            event("add", "read", &ids),
        ]
    );
    let mut unread = event("remove", "read", &ids);
    let stranger: Vec<i64> = read(&user, group)["display_recipient"]
        .as_array()
        .unwrap()
        .iter()
        .map(|person| person["id"].as_i64().unwrap())
        .filter(|id| *id != user.user_id)
        .collect();
    let details = json!({
        ids[0].to_string(): {"type": "stream", "stream_id": channel.stream_id, "topic": "Tea",
            "mentioned": true},
        ids[1].to_string(): {"type": "stream", "stream_id": channel.stream_id,
            "topic": "general chat"},
        ids[2].to_string(): {"type": "private", "user_ids": [other.user_id]},
        ids[3].to_string(): {"type": "private", "user_ids": stranger},
        ids[4].to_string(): {"type": "private", "user_ids": []},
    });
    unread["message_details"] = details;
    assert_eq!(events[4], unread);
    let events = flag_events(&mut capable);
    assert_eq!(
        events[4]["message_details"][ids[1].to_string()]["topic"],
        ""
    );
    assert!(flag_events(&mut others).is_empty());
}

#[test]
fn starred_messages_are_in_the_snapshot() {
    let user = server().user("member");
    let ids = [direct(&user, &[&user], "a"), direct(&user, &[&user], "b")];
    mark(&user, &[ids[1], ids[0]], "add", "starred").ok();
    let pairs = [
        ("fetch_event_types", "[\"starred_messages\"]"),
        ("event_types", "[]"),
    ];
    let state = user.post("/register", &pairs).ok();
    assert_eq!(state["starred_messages"], json!(ids));
}
