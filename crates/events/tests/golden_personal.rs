//! Golden forms of events about users' personal data and about bots
//! (docs/protocol/events.md#payloads). They have one form for all queues.

#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

mod common;

use common::{given, object, queue};
use serde_json::{Value, json};
use spindle_domain::{ChannelId, ReminderId, ScheduledMessageId, UserId, VisibilityPolicy};
use spindle_events::kinds::*;
use spindle_events::{Audience, Capabilities, Event};

fn assert_form(event: Event, form: Value) {
    for capabilities in [&[][..], Capabilities::NAMES] {
        let mut expected = json!({"id": 0, "type": event.event_type});
        expected
            .as_object_mut()
            .unwrap()
            .extend(object(form.clone()));
        assert_eq!(
            given(&queue(capabilities), event.clone()),
            json!([expected])
        );
    }
    let other = spindle_events::Registration {
        user_id: UserId(2),
        ..queue(&[])
    };
    let is_personal = event.audience.listed().is_some();
    assert_eq!(given(&other, event) == json!([]), is_personal);
}

#[test]
fn snippets_and_views() {
    let snippet = json!({"id": 3, "title": "t", "content": "c", "date_created": 9});
    assert_form(
        saved_snippets_add(UserId(1), object(snippet.clone())),
        json!({"op": "add", "saved_snippet": snippet}),
    );
    assert_form(
        saved_snippets_update(UserId(1), object(snippet.clone())),
        json!({"op": "update", "saved_snippet": snippet}),
    );
    assert_form(
        saved_snippets_remove(UserId(1), 3.into()),
        json!({"op": "remove", "saved_snippet_id": 3}),
    );
    let view = json!({"fragment": "a/b", "is_pinned": true, "name": "A"});
    assert_form(
        navigation_view_add(UserId(1), object(view.clone())),
        json!({"op": "add", "navigation_view": view}),
    );
    assert_form(
        navigation_view_update(UserId(1), "a/b", object(json!({"name": "B"}))),
        json!({"op": "update", "fragment": "a/b", "data": {"name": "B"}}),
    );
    assert_form(
        navigation_view_remove(UserId(1), "a/b"),
        json!({"op": "remove", "fragment": "a/b"}),
    );
}

#[test]
fn devices() {
    assert_form(
        device_add(UserId(1), 4.into()),
        json!({"op": "add", "device_id": 4}),
    );
    assert_form(
        device_update(UserId(1), 4.into(), object(json!({"push_key_id": 7}))),
        json!({"op": "update", "device_id": 4, "push_key_id": 7}),
    );
    assert_form(
        device_remove(UserId(1), 4.into()),
        json!({"op": "remove", "device_id": 4}),
    );
    assert_form(
        push_device(UserId(1), 5.into(), "failed", Some("X")),
        json!({"push_account_id": 5, "status": "failed", "error_code": "X"}),
    );
    assert_form(
        push_device(UserId(1), 5.into(), "active", None),
        json!({"push_account_id": 5, "status": "active"}),
    );
}

#[test]
fn mutes_words_and_defaults() {
    let muted = json!([{"id": 2, "timestamp": 9}]);
    assert_form(
        muted_users(UserId(1), muted.clone()),
        json!({"muted_users": muted}),
    );
    assert_form(
        alert_words(UserId(1), &["fire".to_owned()]),
        json!({"alert_words": ["fire"]}),
    );
    assert_form(
        realm_user_settings_defaults_update("enter_sends", json!(true)),
        json!({"op": "update", "property": "enter_sends", "value": true}),
    );
}

#[test]
fn policies_of_topics() {
    let change = |topic: &str| TopicChange {
        stream_id: ChannelId(3),
        topic_name: topic.to_owned(),
        last_updated: 9,
        visibility_policy: VisibilityPolicy::Followed,
        empty_topic_display_name: "general chat".to_owned(),
    };
    assert_form(
        user_topic(change("tea"), &[1].map(UserId)),
        json!({"stream_id": 3, "topic_name": "tea", "last_updated": 9, "visibility_policy": 3}),
    );
    let list = json!([["Denmark", "tea", 9]]);
    assert_form(
        muted_topics(UserId(1), list.clone(), "general chat"),
        json!({"muted_topics": list}),
    );
    // Only the empty topic depends on the queue's capabilities.
    for (capabilities, name) in [(&[][..], "general chat"), (&["empty_topic_name"][..], "")] {
        let queue = queue(capabilities);
        let event = given(&queue, user_topic(change(""), &[2, 1].map(UserId)));
        assert_eq!(event[0]["topic_name"], name);
        let event = muted_topics(UserId(1), json!([["Denmark", "", 9]]), "general chat");
        assert_eq!(given(&queue, event)[0]["muted_topics"][0][1], name);
    }
}

#[test]
fn bots() {
    let bot = json!({"user_id": 8, "default_sending_stream": null,
        "default_events_register_stream": null, "default_all_public_streams": false,
        "services": []});
    let audience = || Audience::users([1, 3].map(UserId));
    assert_form(
        realm_bot_add(object(bot.clone()), audience()),
        json!({"op": "add", "bot": bot}),
    );
    assert_form(
        realm_bot_update(
            UserId(8),
            object(json!({"default_all_public_streams": true})),
            audience(),
        ),
        json!({"op": "update", "bot": {"user_id": 8, "default_all_public_streams": true}}),
    );
    assert_form(
        realm_bot_delete(UserId(8), audience()),
        json!({"op": "delete", "bot": {"user_id": 8}}),
    );
}

#[test]
fn drafts() {
    let draft = json!({"id": 3, "type": "stream", "to": [5], "topic": "t", "content": "c",
        "timestamp": 9});
    assert_form(
        drafts_add(UserId(1), vec![object(draft.clone())]),
        json!({"op": "add", "drafts": [draft]}),
    );
    assert_form(
        drafts_update(UserId(1), object(draft.clone())),
        json!({"op": "update", "draft": draft}),
    );
    assert_form(
        drafts_remove(UserId(1), 3.into()),
        json!({"op": "remove", "draft_id": 3}),
    );
}

#[test]
fn scheduled_messages_and_reminders() {
    let message = json!({"scheduled_message_id": 3, "type": "stream", "to": 5, "topic": "t",
        "content": "c", "rendered_content": "<p>c</p>", "scheduled_delivery_timestamp": 9,
        "failed": false});
    assert_form(
        scheduled_messages_add(UserId(1), vec![object(message.clone())]),
        json!({"op": "add", "scheduled_messages": [message]}),
    );
    assert_form(
        scheduled_messages_update(UserId(1), object(message.clone())),
        json!({"op": "update", "scheduled_message": message}),
    );
    assert_form(
        scheduled_messages_remove(UserId(1), ScheduledMessageId(3)),
        json!({"op": "remove", "scheduled_message_id": 3}),
    );
    let reminder = json!({"reminder_id": 3, "type": "private", "to": [1], "content": "c",
        "rendered_content": "<p>c</p>", "scheduled_delivery_timestamp": 9, "failed": false,
        "reminder_target_message_id": 7});
    assert_form(
        reminders_add(UserId(1), vec![object(reminder.clone())]),
        json!({"op": "add", "reminders": [reminder]}),
    );
    assert_form(
        reminders_remove(UserId(1), ReminderId(3)),
        json!({"op": "remove", "reminder_id": 3}),
    );
}

#[test]
fn exports() {
    let export = json!({"id": 3, "acting_user_id": 1, "export_time": 9.0, "export_url": null,
        "deleted_timestamp": null, "failed_timestamp": null, "pending": true,
        "export_type": "public"});
    let to = || Audience::users([1].map(UserId));
    assert_form(
        realm_export(json!([export]), to()),
        json!({"exports": [export]}),
    );
    assert_form(
        realm_export_consent(UserId(5), true, to()),
        json!({"user_id": 5, "consented": true}),
    );
}
