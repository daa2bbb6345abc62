//! DELETE /messages/{message_id} (docs/protocol/messages.md#delete_message).

use serde_json::{Value, json};
use spindle_tests::fixture::{self, Channel, ChannelKind};
use spindle_tests::{Options, Queue, Server, User};

use super::{direct, to_channel};
use crate::support::{keys, server, settle};

fn path(id: i64) -> String {
    format!("/messages/{id}")
}

/// A queue for deletions, with these `capabilities` declared.
fn listen(user: &User, capabilities: &str) -> Queue {
    Queue::open(
        user,
        &[
            (
                "event_types",
                r#"["delete_message", "stream", "attachment", "user_status"]"#,
            ),
            ("fetch_event_types", "[]"),
            ("client_capabilities", capabilities),
        ],
    )
}

const BULK: &str = r#"{"bulk_message_deletion": true, "empty_topic_name": true}"#;

fn deletions(queue: &mut Queue) -> Vec<Value> {
    let mut events = settle(queue);
    events.retain(|event| event["type"] == "delete_message");
    events
}

/// A server of its own, for rules that depend on the organization's settings.
fn set(server: &Server, name: &str, value: Value) {
    server
        .database()
        .execute(
            "UPDATE realms SET settings = json_set(settings, '$.' || ?1, json(?2)) WHERE id = 1",
            (name, value.to_string()),
        )
        .expect("setting");
}

fn realm_permission(server: &Server, name: &str, group: &str) {
    let changed = server
        .database()
        .execute(
            "UPDATE group_settings SET group_id = (SELECT id FROM user_groups WHERE name = ?2)
             WHERE owner_type = 'realm' AND name = ?1",
            (name, group),
        )
        .expect("permission");
    assert_eq!(changed, 1, "{name}");
}

#[test]
fn the_sender_deletes_a_message_with_all_its_data() {
    let user = server().user("member");
    let id = direct(&user, &[&user], "x");
    let body = user.delete(&path(id), &[]).ok();
    assert_eq!(keys(&body), ["msg", "result"]);
    user.get(&path(id), &[]).bad_request();
    user.delete(&path(id), &[]).bad_request();
    let rows: i64 = server()
        .database()
        .query_row(
            "SELECT (SELECT count(*) FROM messages WHERE id = ?1)
                 + (SELECT count(*) FROM user_messages WHERE message_id = ?1)",
            [id],
            |row| row.get(0),
        )
        .expect("count");
    assert_eq!(rows, 0);
}

/// A message that the caller cannot read, one that does not exist, and a deleted one get the same
/// answer.
#[test]
fn unreadable_messages_look_like_missing_ones() {
    let one = server().user("member");
    let administrator = server().user("administrator");
    let channel = fixture::channel(server(), ChannelKind::PrivateShared, &[&one]);
    let missing = administrator
        .delete("/messages/99999999", &[])
        .bad_request();
    for id in [
        direct(&one, &[&one], "x"),
        to_channel(&one, &channel, "t", "x"),
    ] {
        let hidden = administrator.delete(&path(id), &[]).bad_request();
        assert_eq!(hidden, missing);
        one.get(&path(id), &[]).ok();
        one.delete(&path(id), &[]).ok();
        assert_eq!(one.delete(&path(id), &[]).bad_request(), missing);
    }
}

#[test]
fn recipients_of_direct_messages_delete_by_permission_only() {
    let one = server().user("member");
    let two = server().user("member");
    let administrator = server().user("administrator");
    let id = direct(&one, &[&two, &administrator], "x");
    two.delete(&path(id), &[]).bad_request();
    one.get(&path(id), &[]).ok();
    administrator.delete(&path(id), &[]).ok();
}

#[test]
fn permissions_of_the_channel_and_of_the_organization_apply() {
    let server = Server::start(Options::default());
    let sender = server.user("member");
    let other = server.user("member");
    let moderator = server.user("moderator");
    let channel = fixture::channel(&server, ChannelKind::Public, &[&sender, &other]);
    let send = || to_channel(&sender, &channel, "t", "x");
    // No other user, until the channel permits it.
    other.delete(&path(send()), &[]).bad_request();
    moderator.delete(&path(send()), &[]).bad_request();
    fixture::channel_permission(
        &server,
        &channel,
        "can_delete_any_message_group",
        "role:moderators",
    );
    moderator.delete(&path(send()), &[]).ok();
    other.delete(&path(send()), &[]).bad_request();
    // The organization's permission applies in every channel.
    realm_permission(&server, "can_delete_any_message_group", "role:members");
    other.delete(&path(send()), &[]).ok();
    realm_permission(&server, "can_delete_any_message_group", "role:nobody");
    let administrator = server.user("administrator");
    let elsewhere = fixture::channel(&server, ChannelKind::Public, &[&sender]);
    let id = to_channel(&sender, &elsewhere, "t", "x");
    administrator.delete(&path(id), &[]).bad_request();
    // Deleting one's own messages needs a permission too, of the channel or of the organization.
    realm_permission(&server, "can_delete_own_message_group", "role:nobody");
    let own = send();
    sender.delete(&path(own), &[]).bad_request();
    let note = direct(&sender, &[&sender], "x");
    sender.delete(&path(note), &[]).bad_request();
    fixture::channel_permission(
        &server,
        &channel,
        "can_delete_own_message_group",
        "role:everyone",
    );
    sender.delete(&path(own), &[]).ok();
    sender.delete(&path(note), &[]).bad_request();
    other.delete(&path(send()), &[]).bad_request();
}

#[test]
fn owners_delete_what_their_bots_have_sent() {
    let owner = server().user("member");
    let other = server().user("member");
    let channel = fixture::channel(server(), ChannelKind::Public, &[&owner, &other]);
    let bot = server().bot();
    server()
        .database()
        .execute(
            "UPDATE users SET bot_owner_id = ?1 WHERE id = ?2",
            [owner.user_id, bot.user_id],
        )
        .expect("owner");
    fixture::subscribe(server(), &bot, &channel);
    let id = to_channel(&bot, &channel, "t", "x");
    other.delete(&path(id), &[]).bad_request();
    owner.delete(&path(id), &[]).ok();
    let id = to_channel(&bot, &channel, "t", "x");
    bot.delete(&path(id), &[]).ok();
    let id = to_channel(&owner, &channel, "t", "x");
    bot.delete(&path(id), &[]).bad_request();
}

#[test]
fn the_time_limit_applies_to_those_who_may_only_delete_their_own() {
    let server = Server::start(Options::default());
    let sender = server.user("member");
    let administrator = server.user("administrator");
    let channel = fixture::channel(&server, ChannelKind::Public, &[&sender]);
    let age = |id: i64, seconds: i64| {
        server
            .database()
            .execute(
                "UPDATE messages SET date_sent = date_sent - ?2 WHERE id = ?1",
                [id, seconds],
            )
            .expect("age");
        id
    };
    let old = || age(to_channel(&sender, &channel, "t", "x"), 1000);
    // The default limit is ten minutes.
    sender.delete(&path(old()), &[]).bad_request();
    sender
        .delete(
            &path(age(to_channel(&sender, &channel, "t", "x"), 500)),
            &[],
        )
        .ok();
    set(&server, "message_content_delete_limit_seconds", json!(2000));
    sender.delete(&path(old()), &[]).ok();
    set(&server, "message_content_delete_limit_seconds", json!(5));
    sender.delete(&path(old()), &[]).bad_request();
    administrator.delete(&path(old()), &[]).ok();
    set(&server, "message_content_delete_limit_seconds", Value::Null);
    sender.delete(&path(old()), &[]).ok();
}

#[test]
fn a_message_that_cannot_be_read_cannot_be_deleted() {
    let insider = server().user("member");
    let late = server().user("administrator");
    let guest = server().user("guest");
    let outside = server().user("administrator");
    let channel = fixture::channel(server(), ChannelKind::PrivateProtected, &[&insider]);
    let id = to_channel(&insider, &channel, "t", "x");
    fixture::subscribe(server(), &late, &channel);
    // Administrators have the permission, but cannot read the message.
    late.delete(&path(id), &[]).bad_request();
    outside.delete(&path(id), &[]).bad_request();
    let received = to_channel(&insider, &channel, "t", "y");
    late.delete(&path(received), &[]).ok();
    let public = fixture::channel(server(), ChannelKind::Public, &[&insider]);
    let id = to_channel(&insider, &public, "t", "x");
    guest.delete(&path(id), &[]).bad_request();
    outside.delete(&path(id), &[]).ok();
}

#[test]
fn messages_of_archived_channels_cannot_be_changed() {
    let user = server().user("member");
    let administrator = server().user("administrator");
    let channel = fixture::channel(server(), ChannelKind::Public, &[&user]);
    let id = to_channel(&user, &channel, "t", "x");
    fixture::channel_column(server(), &channel, "is_archived", &true);
    user.delete(&path(id), &[]).bad_request();
    administrator.delete(&path(id), &[]).bad_request();
    user.get(&path(id), &[]).ok();
}

#[test]
fn the_form_of_deletion_events_depends_on_the_capability() {
    let sender = server().user("member");
    let reader = server().user("member");
    let guest = server().user("guest");
    let outside = server().user("member");
    let channel = fixture::channel(server(), ChannelKind::Public, &[&sender, &reader, &guest]);
    to_channel(&sender, &channel, "", "stays");
    let id = to_channel(&sender, &channel, "", "x");
    let mut bulk = listen(&reader, BULK);
    let mut single = listen(&guest, "{}");
    let mut none = listen(&outside, BULK);
    sender.delete(&path(id), &[]).ok();
    let expected = json!({
        "type": "delete_message", "message_ids": [id], "message_type": "stream",
        "stream_id": channel.stream_id, "topic": ""
    });
    assert_eq!(without_id(deletions(&mut bulk)), [expected]);
    let expected = json!({
        "type": "delete_message", "message_id": id, "message_type": "stream",
        "stream_id": channel.stream_id, "topic": "general chat"
    });
    assert_eq!(without_id(deletions(&mut single)), [expected]);
    assert_eq!(deletions(&mut none), [] as [Value; 0]);
}

fn without_id(mut events: Vec<Value>) -> Vec<Value> {
    for event in &mut events {
        event.as_object_mut().expect("an object").remove("id");
    }
    events
}

#[test]
fn only_participants_receive_the_deletion_of_a_direct_message() {
    let sender = server().user("member");
    let reader = server().user("guest");
    let outside = server().user("administrator");
    let id = direct(&sender, &[&reader], "x");
    let mut queues = [&sender, &reader, &outside].map(|user| listen(user, BULK));
    sender.delete(&path(id), &[]).ok();
    let expected = [json!({
        "type": "delete_message", "message_ids": [id], "message_type": "private"
    })];
    assert_eq!(without_id(deletions(&mut queues[0])), expected);
    assert_eq!(without_id(deletions(&mut queues[1])), expected);
    assert_eq!(deletions(&mut queues[2]), [] as [Value; 0]);
}

/// A user who deletes without being subscribed gets the event if they can read the message. Users
/// who joined a channel with protected history later, or who have left, do not.
#[test]
fn only_readers_receive_the_deletion() {
    let sender = server().user("member");
    let administrator = server().user("administrator");
    let public = fixture::channel(server(), ChannelKind::Public, &[&sender]);
    let id = to_channel(&sender, &public, "t", "x");
    let mut queue = listen(&administrator, BULK);
    administrator.delete(&path(id), &[]).ok();
    assert_eq!(deletions(&mut queue).len(), 1);

    let late = server().user("member");
    let left = server().user("member");
    let channel = fixture::channel(server(), ChannelKind::PrivateProtected, &[&sender, &left]);
    let id = to_channel(&sender, &channel, "t", "x");
    fixture::subscribe(server(), &late, &channel);
    fixture::unsubscribe(server(), &left, &channel);
    let mut queues = [&sender, &late, &left].map(|user| listen(user, BULK));
    sender.delete(&path(id), &[]).ok();
    let received: Vec<usize> = queues
        .iter_mut()
        .map(|queue| deletions(queue).len())
        .collect();
    assert_eq!(received, [1, 0, 0]);
}

fn first_message(channel: &Channel) -> Value {
    let user = server().user("member");
    let path = format!("/streams/{}", channel.stream_id);
    user.get(&path, &[]).ok()["stream"]["first_message_id"].clone()
}

#[test]
fn deleting_the_first_message_updates_first_message_id() {
    let sender = server().user("member");
    let channel = fixture::channel(server(), ChannelKind::Public, &[&sender]);
    let ids: Vec<i64> = (0..3)
        .map(|_| to_channel(&sender, &channel, "t", "x"))
        .collect();
    let mut queue = listen(&sender, BULK);
    let mut received = |id: i64| -> Vec<Value> {
        sender.delete(&path(id), &[]).ok();
        let mut events = settle(&mut queue);
        events.retain(|event| event["type"] == "stream" && event["stream_id"] == channel.stream_id);
        assert!(
            events
                .iter()
                .all(|event| event["property"] == "first_message_id")
        );
        events.iter().map(|event| event["value"].clone()).collect()
    };
    assert_eq!(received(ids[1]), [] as [Value; 0]);
    assert_eq!(first_message(&channel), ids[0]);
    assert_eq!(received(ids[0]), [json!(ids[2])]);
    assert_eq!(first_message(&channel), ids[2]);
    assert_eq!(received(ids[2]), [Value::Null]);
    assert_eq!(first_message(&channel), Value::Null);
}

#[test]
fn files_are_released_and_their_owner_receives_an_event() {
    let sender = server().user("member");
    let channel = fixture::channel(server(), ChannelKind::Public, &[&sender]);
    let uploaded = sender.upload("/user_uploads", "a.txt", b"text").ok();
    let link = format!("[a.txt]({})", uploaded["url"].as_str().expect("url"));
    let one = to_channel(&sender, &channel, "t", &link);
    let two = to_channel(&sender, &channel, "t", &link);
    let mut queue = listen(&sender, BULK);
    sender.delete(&path(one), &[]).ok();
    let mut events = settle(&mut queue);
    events.retain(|event| event["type"] == "attachment");
    assert_eq!(events.len(), 1);
    assert_eq!(events[0]["op"], "update");
    assert_eq!(events[0]["attachment"]["message_ids"], json!([two]));
    let attachments = sender.get("/attachments", &[]).ok()["attachments"].clone();
    assert_eq!(attachments[0]["message_ids"], json!([two]));
}

/// Of many requests to delete the same message, one succeeds.
#[test]
fn one_of_many_simultaneous_deletions_succeeds() {
    let sender = server().user("member");
    let id = direct(&sender, &[&sender], "x");
    let statuses: Vec<u16> = std::thread::scope(|scope| {
        let handles: Vec<_> = (0..8)
            .map(|_| scope.spawn(|| sender.delete(&path(id), &[]).status))
            .collect();
        handles
            .into_iter()
            .map(|handle| handle.join().expect("a thread"))
            .collect()
    });
    assert_eq!(statuses.iter().filter(|status| **status == 200).count(), 1);
    assert_eq!(statuses.iter().filter(|status| **status == 400).count(), 7);
}

#[test]
fn an_id_of_the_path_is_digits_only() {
    let user = server().user("member");
    for id in ["-1", "abc", "1.5"] {
        let call = spindle_tests::Call::new("DELETE", &format!("/messages/{id}")).undocumented();
        assert_eq!(user.send(call).status, 404, "{id}");
    }
    let id = direct(&user, &[&user], "x");
    let reply = user.delete(&path(id), &[("extra", "1")]);
    assert_eq!(reply.ignored(), ["extra"]);
}
