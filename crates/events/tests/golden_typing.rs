//! Golden forms of `typing`, `typing_edit_message` and `submessage`
//! (docs/protocol/events.md#capabilities).

#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

mod common;

use common::{given, queue};
use serde_json::json;
use spindle_domain::{ChannelId, MessageId, UserId};
use spindle_events::Audience;
use spindle_events::kinds::{
    Submessage, TypingTo, TypingUser, submessage, typing, typing_edit_message,
};

fn user(user_id: i64) -> TypingUser {
    TypingUser {
        user_id: UserId(user_id),
        email: format!("{user_id}@x"),
    }
}

fn channel(topic: &str) -> TypingTo {
    TypingTo::Channel {
        stream_id: ChannelId(3),
        topic: topic.into(),
        empty_topic_display_name: "general chat".into(),
    }
}

#[test]
fn direct_typing_is_for_every_queue() {
    let event = || {
        let to = TypingTo::Direct(vec![user(1), user(2)]);
        typing("start", user(2), to, Audience::users([1, 2].map(UserId)))
    };
    let expected = json!([{"id": 0, "type": "typing", "op": "start", "message_type": "direct",
        "sender": {"user_id": 2, "email": "2@x"},
        "recipients": [{"user_id": 1, "email": "1@x"}, {"user_id": 2, "email": "2@x"}]}]);
    for capabilities in [&[][..], &["stream_typing_notifications"]] {
        assert_eq!(given(&queue(capabilities), event()), expected);
    }
}

#[test]
fn typing_in_a_channel_is_for_those_who_understand_it() {
    let event = |topic| {
        typing(
            "stop",
            user(2),
            channel(topic),
            Audience::users([1].map(UserId)),
        )
    };
    let expected = |topic| {
        json!([{"id": 0, "type": "typing", "op": "stop", "message_type": "stream",
            "sender": {"user_id": 2, "email": "2@x"}, "stream_id": 3, "topic": topic}])
    };
    assert_eq!(given(&queue(&[]), event("x")), json!([]));
    let understands = queue(&["stream_typing_notifications"]);
    assert_eq!(given(&understands, event("x")), expected("x"));
    assert_eq!(given(&understands, event("")), expected("general chat"));
    let modern = queue(&["stream_typing_notifications", "empty_topic_name"]);
    assert_eq!(given(&modern, event("")), expected(""));
}

#[test]
fn typing_in_a_message_that_is_there() {
    let event = |to| {
        typing_edit_message(
            "start",
            UserId(2),
            MessageId(50),
            to,
            Audience::users([1].map(UserId)),
        )
    };
    let expected = |recipient| {
        json!([{"id": 0, "type": "typing_edit_message", "op": "start", "sender_id": 2,
            "message_id": 50, "recipient": recipient}])
    };
    let to = TypingTo::Direct(vec![user(1), user(2)]);
    assert_eq!(
        given(&queue(&[]), event(to)),
        expected(json!({"type": "direct", "user_ids": [1, 2]}))
    );
    for (capabilities, topic, shown) in [
        (&[][..], "x", "x"),
        (&[], "", "general chat"),
        (&["empty_topic_name"], "", ""),
    ] {
        assert_eq!(
            given(&queue(capabilities), event(channel(topic))),
            expected(json!({"type": "channel", "channel_id": 3, "topic": shown}))
        );
    }
}

#[test]
fn submessages_have_one_form() {
    let new = Submessage {
        submessage_id: 9.into(),
        message_id: MessageId(50),
        sender_id: UserId(2),
        msg_type: "widget".into(),
        content: r#"{"type":"vote"}"#.into(),
    };
    assert_eq!(
        given(
            &queue(&[]),
            submessage(new, Audience::users([1].map(UserId)))
        ),
        json!([{"id": 0, "type": "submessage", "msg_type": "widget", "submessage_id": 9,
            "content": "{\"type\":\"vote\"}", "message_id": 50, "sender_id": 2}])
    );
}
