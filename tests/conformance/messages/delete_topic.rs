//! POST /streams/{stream_id}/delete_topic (docs/protocol/topics.md#delete_topic).

use serde_json::{Value, json};
use spindle_tests::Reply;
use spindle_tests::User;
use spindle_tests::fixture::{self, Channel, ChannelKind};

use super::edit_support::{heard, listen, place};
use super::to_channel;
use crate::support::server;

fn delete(user: &User, channel: &Channel, topic: &str) -> Reply {
    let path = format!("/streams/{}/delete_topic", channel.id());
    user.post(&path, &[("topic_name", topic)])
}

#[test]
fn a_topic_is_deleted_and_other_topics_stay() {
    let administrator = server().user("administrator");
    let user = server().user("member");
    let channel = fixture::channel(server(), ChannelKind::Public, &[&user]);
    let kept = to_channel(&user, &channel, "other", "x");
    let ids = [
        to_channel(&user, &channel, "Topic", "x"),
        to_channel(&user, &channel, "topic", "x"),
    ];
    let mut queue = listen(&user);
    let body = delete(&administrator, &channel, " TOPIC ").ok();
    assert_eq!(body["complete"], true);
    for id in ids {
        assert_eq!(place(&user, id), None);
    }
    assert!(place(&user, kept).is_some());
    assert_eq!(
        heard(&mut queue, "delete_message"),
        [
            json!({"type": "delete_message", "message_ids": ids, "message_type": "stream",
            "stream_id": channel.stream_id, "topic": "TOPIC"})
        ]
    );
    // A second time nothing is left to delete, which is reported as complete.
    assert_eq!(
        delete(&administrator, &channel, "topic").ok()["complete"],
        true
    );
}

#[test]
fn deleting_a_topic_needs_access_and_the_permission_for_any_message() {
    let user = server().user("member");
    let moderator = server().user("moderator");
    let administrator = server().user("administrator");
    let channel = fixture::channel(server(), ChannelKind::Public, &[&user, &moderator]);
    let private = fixture::channel(server(), ChannelKind::PrivateShared, &[&user]);
    let id = to_channel(&user, &channel, "t", "x");
    let hidden = to_channel(&user, &private, "t", "x");
    // Permission to delete own messages is not sufficient.
    delete(&user, &channel, "t").bad_request();
    delete(&moderator, &channel, "t").bad_request();
    delete(&administrator, &private, "t").bad_request();
    delete(&moderator, &private, "t").error(400, "STREAM_DOES_NOT_EXIST");
    assert!(place(&user, id).is_some() && place(&user, hidden).is_some());
    let permission = "can_delete_any_message_group";
    fixture::channel_permission(server(), &channel, permission, "role:moderators");
    delete(&moderator, &channel, "t").ok();
    assert_eq!(place(&user, id), None);
    fixture::channel_column(server(), &channel, "is_archived", &true);
    delete(&administrator, &channel, "t").bad_request();
    let path = format!("/streams/{}/delete_topic", channel.id());
    administrator
        .post(&path, &[])
        .error(400, "REQUEST_VARIABLE_MISSING");
}

/// In a channel with protected history, only messages that the caller can read are deleted.
#[test]
fn messages_that_the_caller_cannot_read_are_not_deleted() {
    let user = server().user("member");
    let administrator = server().user("administrator");
    let channel = fixture::channel(server(), ChannelKind::PrivateProtected, &[&user]);
    let before = to_channel(&user, &channel, "t", "x");
    fixture::subscribe(server(), &administrator, &channel);
    let after = to_channel(&user, &channel, "t", "x");
    assert_eq!(delete(&administrator, &channel, "t").ok()["complete"], true);
    assert!(place(&user, before).is_some());
    assert_eq!(place(&user, after), None);
}

#[test]
fn large_topics_are_deleted_in_parts() {
    let administrator = server().user("administrator");
    let channel = fixture::channel(server(), ChannelKind::Public, &[&administrator]);
    server()
        .database()
        .execute(
            "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1050)
             INSERT INTO messages (realm_id, sender_id, conversation_id, channel_id, topic,
                 topic_folded, content, rendered_content, date_sent, client)
             SELECT 1, ?1, ?2, ?3, 't', 't', 'x', '<p>x</p>', 1700000000, 'test' FROM n",
            [
                administrator.user_id,
                channel.recipient_id,
                channel.stream_id,
            ],
        )
        .expect("messages");
    let left = || -> i64 {
        server()
            .database()
            .query_row(
                "SELECT count(*) FROM messages WHERE channel_id = ?1",
                [channel.stream_id],
                |row| row.get(0),
            )
            .expect("count")
    };
    assert_eq!(
        delete(&administrator, &channel, "t").ok()["complete"],
        false
    );
    assert_eq!(left(), 50);
    let mut queue = listen(&administrator);
    assert_eq!(delete(&administrator, &channel, "t").ok()["complete"], true);
    assert_eq!(left(), 0);
    let received: Vec<Value> = heard(&mut queue, "delete_message");
    assert_eq!(received.len(), 1);
    assert_eq!(
        received[0]["message_ids"].as_array().expect("ids").len(),
        50
    );
}
