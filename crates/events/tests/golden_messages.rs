//! Golden forms of `message` events, and which queues receive them
//! (docs/protocol/events.md#delivery).

#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

mod common;

use common::{given, object, queue};
use serde_json::{Value, json};
use spindle_domain::{ChannelId, MessageId, UserId};
use spindle_events::kinds::{
    LocalEcho, Message, MovedTo, NewContent, UpdatedIn, UpdatedMessages, UserStatusChange, message,
    update_message, user_status,
};
use spindle_events::{Audience, Event, Narrow, Registration, resolve_event_types};

fn channel_message(subject: &str, audience: Audience) -> Event {
    let wire = json!({"id": 50, "type": "stream", "sender_id": 1, "stream_id": 3,
        "display_recipient": "Denmark", "subject": subject, "sender_email": "Two@example.org",
        "avatar_url": "https://g/2"});
    let new = Message {
        message: object(wire),
        content: "*hi*".into(),
        rendered_content: "<p><em>hi</em></p>".into(),
        avatar_computable: true,
        empty_topic_display_name: "general chat".into(),
        local: Some(LocalEcho {
            queue_id: "q1".into(),
            local_id: "7.01".into(),
        }),
    };
    message(new, audience)
}

fn direct_message(audience: Audience) -> Event {
    let wire = json!({"id": 51, "type": "private", "sender_id": 2, "subject": "",
        "display_recipient": [{"id": 1}, {"id": 2}], "sender_email": "two@example.org",
        "avatar_url": "https://g/2"});
    let new = Message {
        message: object(wire),
        content: "psst".into(),
        rendered_content: "<p>psst</p>".into(),
        avatar_computable: false,
        empty_topic_display_name: "general chat".into(),
        local: None,
    };
    message(new, audience)
}

fn recipients() -> Audience {
    Audience::users([1, 2].map(UserId))
        .with_flags([(UserId(1), vec!["mentioned"]), (UserId(2), vec!["read"])])
        .in_channel(ChannelId(3), true)
}

#[test]
fn plain_and_rendered_content() {
    assert_eq!(
        given(&queue(&[]), channel_message("", recipients())),
        json!([{"id": 0, "type": "message", "flags": ["mentioned"], "local_message_id": "7.01",
            "message": {"id": 50, "type": "stream", "sender_id": 1, "stream_id": 3,
                "display_recipient": "Denmark", "subject": "general chat",
                "sender_email": "Two@example.org", "avatar_url": "https://g/2",
                "content": "*hi*", "content_type": "text/x-markdown"}}])
    );
    let modern = Registration {
        queue_id: "q2".into(),
        apply_markdown: true,
        client_gravatar: true,
        ..queue(&["empty_topic_name"])
    };
    assert_eq!(
        given(&modern, channel_message("", recipients())),
        json!([{"id": 0, "type": "message", "flags": ["mentioned"],
            "message": {"id": 50, "type": "stream", "sender_id": 1, "stream_id": 3,
                "display_recipient": "Denmark", "subject": "",
                "sender_email": "Two@example.org", "avatar_url": null,
                "content": "<p><em>hi</em></p>", "content_type": "text/html"}}])
    );
}

#[test]
fn the_local_id_is_for_a_queue_of_the_sender() {
    let local = |user_id, queue_id: &str| {
        let registration = Registration {
            queue_id: queue_id.into(),
            user_id: UserId(user_id),
            ..queue(&[])
        };
        given(&registration, channel_message("x", recipients()))[0]["local_message_id"].clone()
    };
    assert_eq!(local(1, "q1"), "7.01");
    assert_eq!(local(1, "q2"), Value::Null);
    assert_eq!(local(2, "q1"), Value::Null, "of another user");
}

#[test]
fn direct_messages_keep_their_empty_subject() {
    let given = given(
        &queue(&[]),
        direct_message(Audience::users([1, 2].map(UserId))),
    );
    assert_eq!(given[0]["message"]["subject"], "");
    assert_eq!(given[0]["flags"], json!([]));
    assert!(given[0].get("local_message_id").is_none());
}

/// Whether a queue of the user with this narrow receives the event.
fn receives(registration: &Registration, event: Event) -> bool {
    given(registration, event) != json!([])
}

#[test]
fn receivers_of_a_channel_message() {
    let outsider = Registration {
        user_id: UserId(9),
        ..queue(&[])
    };
    let cases = [
        ("subscriber", queue(&[]), true, true),
        ("outsider", outsider.clone(), false, false),
        (
            "all public",
            Registration {
                all_public_streams: true,
                ..outsider.clone()
            },
            true,
            false,
        ),
        (
            "narrow",
            Registration {
                narrow: narrow("channel", "denmark"),
                ..outsider.clone()
            },
            true,
            false,
        ),
        (
            "guest",
            Registration {
                all_public_streams: true,
                is_guest: true,
                ..outsider.clone()
            },
            false,
            false,
        ),
        (
            "no messages",
            Registration {
                event_types: Some(resolve_event_types(["user_status"])),
                ..queue(&[])
            },
            false,
            false,
        ),
    ];
    for (name, registration, public, private) in cases {
        let event = |public| channel_message("x", recipients().in_channel(ChannelId(3), public));
        assert_eq!(
            receives(&registration, event(true)),
            public,
            "{name}, public"
        );
        assert_eq!(
            receives(&registration, event(false)),
            private,
            "{name}, private"
        );
    }
    let listening = Registration {
        all_public_streams: true,
        ..outsider
    };
    let heard = given(&listening, channel_message("x", recipients()));
    assert_eq!(heard[0]["flags"], json!([]));
}

fn narrow(operator: &str, operand: &str) -> Narrow {
    Narrow::parse([(operator, operand)]).unwrap()
}

#[test]
fn narrows() {
    let resolved = "\u{2714} done";
    // operator, operand, channel message in "Topic", the same in the empty topic,
    // a resolved one, a direct message
    let cases = [
        ("channel", "DENMARK", [true, true, true, false]),
        ("stream", "Sweden", [false, false, false, false]),
        ("topic", "tOPIC", [true, false, false, false]),
        ("topic", "General Chat", [false, true, false, false]),
        ("topic", "", [false, true, false, false]),
        ("sender", "two@EXAMPLE.org", [true, true, true, true]),
        ("sender", "one@example.org", [false, false, false, false]),
        ("is", "dm", [false, false, false, true]),
        ("is", "private", [false, false, false, true]),
        ("is", "mentioned", [true, true, true, false]),
        ("is", "alerted", [true, true, true, false]),
        ("is", "unread", [true, true, true, true]),
        ("is", "starred", [false, false, false, false]),
        ("is", "resolved", [false, false, true, false]),
    ];
    for (operator, operand, expected) in cases {
        let registration = Registration {
            narrow: narrow(operator, operand),
            ..queue(&[])
        };
        let heard = [
            receives(&registration, channel_message("Topic", recipients())),
            receives(&registration, channel_message("", recipients())),
            receives(&registration, channel_message(resolved, recipients())),
            receives(
                &registration,
                direct_message(Audience::users([1, 2].map(UserId))),
            ),
        ];
        assert_eq!(heard, expected, "{operator}:{operand}");
    }
    let own: Value = given(
        &Registration {
            user_id: UserId(2),
            narrow: narrow("is", "unread"),
            ..queue(&[])
        },
        channel_message("x", recipients()),
    );
    assert_eq!(own, json!([]));
}

#[test]
fn narrows_concern_messages_only_and_refuse_what_they_do_not_know() {
    let registration = Registration {
        narrow: narrow("channel", "sweden"),
        ..queue(&[])
    };
    let status = user_status(UserId(5), UserStatusChange::default(), Audience::realm());
    assert!(receives(&registration, status));
    for (operator, operand) in [("has", "link"), ("is", "followed"), ("near", "5"), ("", "")] {
        assert!(
            Narrow::parse([(operator, operand)]).is_err(),
            "{operator}:{operand}"
        );
    }
}

fn updated() -> UpdatedMessages {
    UpdatedMessages {
        user_id: Some(UserId(2)),
        message_id: MessageId(9),
        message_ids: vec![MessageId(11), MessageId(9)],
        edit_timestamp: 1_700_000_000,
        channel: Some(UpdatedIn {
            stream_id: ChannelId(3),
            stream_name: Some("Denmark".into()),
        }),
        moved: None,
        content: None,
        empty_topic_display_name: "general chat".into(),
    }
}

#[test]
fn a_move_says_where_from_and_only_what_is_new() {
    let moved = UpdatedMessages {
        moved: Some(MovedTo {
            propagate_mode: "change_later",
            orig_subject: String::new(),
            new_stream_id: Some(ChannelId(4)),
            subject: Some(("new".into(), json!([]))),
        }),
        ..updated()
    };
    let expected = |orig_subject: &str| {
        json!([{"id": 0, "type": "update_message", "user_id": 2, "rendering_only": false,
            "message_id": 9, "message_ids": [9, 11], "flags": ["mentioned"],
            "edit_timestamp": 1_700_000_000, "stream_id": 3, "stream_name": "Denmark",
            "propagate_mode": "change_later", "orig_subject": orig_subject, "new_stream_id": 4,
            "subject": "new", "topic_links": []}])
    };
    let event = update_message(moved, recipients());
    assert_eq!(given(&queue(&[]), event.clone()), expected("general chat"));
    assert_eq!(given(&queue(&["empty_topic_name"]), event), expected(""));
}

/// Clients treat `propagate_mode` as a move, so it must not be sent without one.
#[test]
fn an_edit_has_no_fields_of_a_move() {
    let content = NewContent {
        original: Some(("a".into(), "<p>a</p>".into())),
        content: "b".into(),
        rendered_content: "<p>b</p>".into(),
        is_me_message: false,
        buttons: Some(json!([{"id": "yes", "label": "Yes"}])),
    };
    let edited = UpdatedMessages {
        message_ids: vec![],
        moved: Some(MovedTo {
            propagate_mode: "change_one",
            orig_subject: "t".into(),
            new_stream_id: None,
            subject: None,
        }),
        content: Some(content.clone()),
        ..updated()
    };
    assert_eq!(
        given(&queue(&[]), update_message(edited, recipients())),
        json!([{"id": 0, "type": "update_message", "user_id": 2, "rendering_only": false,
            "message_id": 9, "message_ids": [9], "flags": ["mentioned"],
            "edit_timestamp": 1_700_000_000, "stream_id": 3, "stream_name": "Denmark",
            "orig_content": "a", "orig_rendered_content": "<p>a</p>", "content": "b",
            "rendered_content": "<p>b</p>", "is_me_message": false,
            "buttons": [{"id": "yes", "label": "Yes"}]}])
    );
    let anew = UpdatedMessages {
        user_id: None,
        message_ids: vec![],
        channel: None,
        content: Some(NewContent {
            original: None,
            buttons: None,
            ..content
        }),
        ..updated()
    };
    assert_eq!(
        given(
            &queue(&[]),
            update_message(anew, Audience::users([1].map(UserId)))
        ),
        json!([{"id": 0, "type": "update_message", "user_id": null, "rendering_only": true,
            "message_id": 9, "message_ids": [9], "flags": [], "edit_timestamp": 1_700_000_000,
            "content": "b", "rendered_content": "<p>b</p>", "is_me_message": false}])
    );
}
