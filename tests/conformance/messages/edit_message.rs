//! PATCH /messages/{message_id}, the text (docs/protocol/messages.md#update_message).

use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use spindle_tests::fixture::{self, ChannelKind};
use spindle_tests::{Options, Server};

use super::edit_support::{age, flags, heard, listen, patch, setting};
use super::{direct, read, to_channel};
use crate::support::{keys, server};

fn sha256(text: &str) -> String {
    let digest = Sha256::digest(text.as_bytes());
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn the_sender_edits_the_text() {
    let user = server().user("member");
    let id = direct(&user, &[&user], "old *text*");
    let body = patch(&user, id, &[("content", "new **text**\n\n")]).ok();
    assert_eq!(keys(&body), ["detached_uploads", "msg", "result"]);
    assert_eq!(body["detached_uploads"], json!([]));
    let message = read(&user, id);
    assert_eq!(message["content"], "<p>new <strong>text</strong></p>");
    let edited = message["last_edit_timestamp"].as_i64().expect("an edit");
    assert!(edited >= message["timestamp"].as_i64().expect("timestamp"));
    assert_eq!(message.get("last_moved_timestamp"), None);
    assert_eq!(
        message["edit_history"],
        json!([{"user_id": user.user_id, "timestamp": edited, "prev_content": "old *text*",
            "prev_rendered_content": "<p>old <em>text</em></p>"}])
    );
}

/// The checks in their order: each request fails the first check and violates the later ones too.
#[test]
fn the_checks_of_an_edit_run_in_order() {
    let sender = server().user("member");
    let other = server().user("administrator");
    let channel = fixture::channel(server(), ChannelKind::Public, &[&sender]);
    let note = direct(&sender, &[&sender], "x");
    let in_channel = to_channel(&sender, &channel, "t", "x");
    let stream = channel.id();
    // 1. Missing or hidden: the same error.
    let missing = patch(&other, 99_999_999, &[]).bad_request();
    assert_eq!(
        patch(&other, note, &[("content", "y")]).bad_request(),
        missing
    );
    // 2. No change.
    let nothing = patch(&other, in_channel, &[("propagate_mode", "change_all")]).bad_request();
    // Clients search the text for these words.
    let text = nothing["msg"].as_str().unwrap();
    assert!(text.starts_with("Nothing to change"), "{text}");
    // 3. Direct messages cannot be moved.
    patch(&sender, note, &[("topic", "t")]).bad_request();
    patch(&sender, note, &[("stream_id", &stream)]).bad_request();
    // 4. A propagation mode without a move.
    let pairs = [("content", "y"), ("propagate_mode", "change_all")];
    let propagate = patch(&other, in_channel, &pairs).bad_request();
    // 5. Topics must be printable.
    let pairs = [
        ("topic", "a\u{7}"),
        ("content", "y"),
        ("stream_id", &stream),
    ];
    let unprintable = patch(&other, in_channel, &pairs).bad_request();
    assert_ne!(unprintable, propagate);
    // 6. Not content and channel together, although the caller may not edit the content either.
    let pairs = [("content", "y"), ("stream_id", stream.as_str())];
    let both = patch(&other, in_channel, &pairs).bad_request();
    // 7. Only the sender may edit; the expectation is checked after that.
    let pairs = [("content", "y"), ("prev_content_sha256", "00")];
    let not_own = patch(&other, in_channel, &pairs).bad_request();
    assert_ne!(not_own, both);
    patch(&sender, in_channel, &pairs).error(400, "EXPECTATION_MISMATCH");
    // 8. The content itself.
    let wrong = sha256("x");
    let pairs = [("content", "a\0b"), ("prev_content_sha256", wrong.as_str())];
    patch(&sender, in_channel, &pairs).bad_request();
    let message = read(&sender, in_channel);
    assert_eq!(message["content"], "<p>x</p>");
    assert_eq!(message.get("edit_history"), None);
}

#[test]
fn parameters_of_an_edit_are_checked() {
    let user = server().user("member");
    let channel = fixture::channel(server(), ChannelKind::Public, &[&user]);
    let id = to_channel(&user, &channel, "t", "x");
    patch(
        &user,
        id,
        &[("topic", "a"), ("propagate_mode", "change_some")],
    )
    .bad_request();
    patch(&user, id, &[("stream_id", "\"5\"")]).bad_request();
    patch(&user, id, &[("topic", "a"), ("subject", "b")]).error(400, "REQUEST_CONFUSING_VAR");
    patch(&user, id, &[("subject", "older name")]).ok();
    assert_eq!(read(&user, id)["subject"], "older name");
    let ignored = patch(&user, id, &[("content", "y"), ("extra", "1")]).ignored();
    assert!(ignored.contains(&"extra".to_owned()), "{ignored:?}");
}

#[test]
fn an_edit_fails_if_the_expected_text_was_replaced() {
    let user = server().user("member");
    let id = direct(&user, &[&user], "Ünï");
    let expected = sha256("Ünï");
    let pairs = [
        ("content", "new"),
        ("prev_content_sha256", expected.as_str()),
    ];
    patch(&user, id, &pairs).ok();
    // The second writer expects a text that the first one has replaced.
    patch(&user, id, &pairs).error(400, "EXPECTATION_MISMATCH");
    assert_eq!(read(&user, id)["content"], "<p>new</p>");
}

#[test]
fn long_texts_are_cut_and_an_unchanged_text_changes_nothing() {
    let user = server().user("member");
    let id = direct(&user, &[&user], "x");
    let mut queue = listen(&user);
    patch(&user, id, &[("content", "x\n")]).ok();
    assert_eq!(heard(&mut queue, "update_message"), [] as [Value; 0]);
    assert_eq!(read(&user, id).get("last_edit_timestamp"), None);
    patch(&user, id, &[("content", &"y".repeat(10_001))]).ok();
    let path = format!("/messages/{id}");
    let raw = user.get(&path, &[]).ok()["raw_content"].clone();
    assert_eq!(raw.as_str().expect("text").chars().count(), 10_000);
}

/// Clients delete a text where the organization does not let them delete the message.
#[test]
fn an_emptied_message_says_that_it_was_deleted() {
    let user = server().user("member");
    let uploaded = user.upload("/user_uploads", "x.txt", b"x").ok();
    let link = format!("[x.txt]({})", uploaded["url"].as_str().expect("url"));
    let id = direct(&user, &[&user], &link);
    let mut queue = listen(&user);
    let body = patch(&user, id, &[("content", " \n")]).ok();
    assert_eq!(body["detached_uploads"].as_array().unwrap().len(), 1);
    assert_eq!(read(&user, id)["content"], "<p>(deleted)</p>");
    let events = heard(&mut queue, "update_message");
    assert_eq!(events[0]["content"], "(deleted)");
    assert_eq!(events[0]["orig_content"], link.as_str());
    assert_eq!(events.len(), 1);
}

#[test]
fn the_organization_sets_whether_and_how_long_editing_is_allowed() {
    let server = Server::start(Options::default());
    let user = server.user("member");
    let owner = server.user("owner");
    let send = |sender: &spindle_tests::User| direct(sender, &[sender], "x");
    let edit = |sender: &spindle_tests::User, id: i64| patch(sender, id, &[("content", "y")]);
    // The default limit is ten minutes, for owners too.
    edit(&user, age(&server, send(&user), 500)).ok();
    edit(&user, age(&server, send(&user), 700)).bad_request();
    edit(&owner, age(&server, send(&owner), 700)).bad_request();
    setting(&server, "message_content_edit_limit_seconds", Value::Null);
    edit(&user, age(&server, send(&user), 1_000_000)).ok();
    setting(&server, "allow_message_editing", json!(false));
    edit(&user, send(&user)).bad_request();
    edit(&owner, send(&owner)).bad_request();
    // Moves have limits of their own.
    let channel = fixture::channel(&server, ChannelKind::Public, &[&user]);
    let id = to_channel(&user, &channel, "t", "x");
    patch(&user, id, &[("topic", "u")]).ok();
}

#[test]
fn the_event_has_the_old_and_the_new_text() {
    let sender = server().user("member");
    let reader = server().user("guest");
    let outside = server().user("member");
    let channel = fixture::channel(server(), ChannelKind::Public, &[&sender, &reader]);
    let id = to_channel(&sender, &channel, "t", "/me waits");
    let mut queues = [&sender, &reader, &outside].map(listen);
    patch(&sender, id, &[("content", "goes")]).ok();
    let edited = read(&sender, id)["last_edit_timestamp"].clone();
    let received = heard(&mut queues[1], "update_message");
    assert_eq!(
        received,
        [json!({
            "type": "update_message", "user_id": sender.user_id, "rendering_only": false,
            "message_id": id, "message_ids": [id], "flags": [], "edit_timestamp": edited,
            "stream_id": channel.stream_id, "stream_name": channel.name,
            "orig_content": "/me waits", "orig_rendered_content": received[0]["orig_rendered_content"],
            "content": "goes", "rendered_content": "<p>goes</p>", "is_me_message": false
        })]
    );
    assert_eq!(heard(&mut queues[0], "update_message").len(), 1);
    assert_eq!(heard(&mut queues[2], "update_message"), [] as [Value; 0]);
    assert_eq!(read(&reader, id)["is_me_message"], false);
    // Direct messages: the participants of the conversation.
    let id = direct(&sender, &[&reader], "x");
    patch(&sender, id, &[("content", "y")]).ok();
    let received = heard(&mut queues[1], "update_message");
    assert_eq!(received.len(), 1);
    assert_eq!(received[0].get("stream_id"), None);
    assert_eq!(received[0].get("propagate_mode"), None);
    assert_eq!(heard(&mut queues[2], "update_message"), [] as [Value; 0]);
}

#[test]
fn an_edit_updates_mentions_and_alert_words_of_all_readers() {
    let sender = server().user("member");
    let one = server().user("member");
    let two = server().user("member");
    let channel = fixture::channel(server(), ChannelKind::Public, &[&sender, &one, &two]);
    one.post(
        "/users/me/alert_words",
        &[("alert_words", r#"["harvest"]"#)],
    )
    .ok();
    let mention = |user: &spindle_tests::User| format!("@**{}**", user.full_name);
    let id = to_channel(&sender, &channel, "t", &mention(&one));
    assert_eq!(flags(&one, id), ["mentioned"]);
    let mut queues = [&one, &two].map(listen);
    patch(
        &sender,
        id,
        &[("content", &format!("{} harvest", mention(&two)))],
    )
    .ok();
    assert_eq!(flags(&one, id), ["has_alert_word"]);
    assert_eq!(flags(&two, id), ["mentioned"]);
    let received = heard(&mut queues[0], "update_message");
    assert_eq!(received[0]["flags"], json!(["has_alert_word"]));
    let received = heard(&mut queues[1], "update_message");
    assert_eq!(received[0]["flags"], json!(["mentioned"]));
    patch(&sender, id, &[("content", "@**all**")]).ok();
    let everybody = ["stream_wildcard_mentioned", "wildcard_mentioned"];
    assert_eq!(flags(&one, id), everybody);
    assert_eq!(flags(&two, id), everybody);
    patch(&sender, id, &[("content", "no mention")]).ok();
    assert_eq!(flags(&one, id), [""; 0]);
}

/// A user who can read the message without being subscribed receives it once an edit mentions them.
#[test]
fn users_mentioned_by_an_edit_receive_the_message() {
    let sender = server().user("member");
    let member = server().user("member");
    let guest = server().user("guest");
    let channel = fixture::channel(server(), ChannelKind::Public, &[&sender]);
    let id = to_channel(&sender, &channel, "t", "x");
    let mut queues = [&member, &guest].map(listen);
    let text = format!("@**{}** @**{}**", member.full_name, guest.full_name);
    patch(&sender, id, &[("content", &text)]).ok();
    assert_eq!(flags(&member, id), ["historical", "mentioned", "read"]);
    let received = heard(&mut queues[0], "update_message");
    assert_eq!(received.len(), 1);
    assert_eq!(
        received[0]["flags"],
        json!(["read", "mentioned", "historical"])
    );
    assert_eq!(heard(&mut queues[1], "update_message"), [] as [Value; 0]);
    guest.get(&format!("/messages/{id}"), &[]).bad_request();
}

#[test]
fn files_that_an_edit_removes_are_released_with_an_event() {
    let sender = server().user("member");
    let channel = fixture::channel(server(), ChannelKind::Public, &[&sender]);
    let upload = |name: &str| {
        let body = sender.upload("/user_uploads", name, b"text").ok();
        format!("[{name}]({})", body["url"].as_str().expect("url"))
    };
    let (one, two, three) = (upload("one.txt"), upload("two.txt"), upload("three.txt"));
    let id = to_channel(&sender, &channel, "t", &format!("{one} {two}"));
    let second = to_channel(&sender, &channel, "t", &two);
    let mut queue = listen(&sender);
    let body = patch(&sender, id, &[("content", &three)]).ok();
    let names = |list: &Value| -> Vec<Value> {
        let list = list.as_array().expect("a list");
        list.iter().map(|file| file["name"].clone()).collect()
    };
    // The second file is still referenced by another message.
    assert_eq!(names(&body["detached_uploads"]), ["one.txt"]);
    let received = heard(&mut queue, "attachment");
    let received: Vec<(&str, &Value)> = received
        .iter()
        .map(|event| {
            let file = &event["attachment"];
            (file["name"].as_str().expect("a name"), &file["message_ids"])
        })
        .collect();
    assert_eq!(received.len(), 3, "{received:?}");
    assert_eq!(received[0], ("three.txt", &json!([id])));
    assert_eq!(received[1], ("one.txt", &json!([])));
    assert_eq!(received[2], ("two.txt", &json!([second])));
}

#[test]
fn wildcard_mentions_need_the_same_permission_as_in_new_messages() {
    let server = server();
    let sender = server.user("member");
    let crowd: Vec<spindle_tests::User> = (0..15).map(|_| server.user("member")).collect();
    let mut all: Vec<&spindle_tests::User> = crowd.iter().collect();
    all.push(&sender);
    let channel = fixture::channel(server, ChannelKind::Public, &all);
    let id = to_channel(&sender, &channel, "t", "x");
    patch(&sender, id, &[("content", "@**all** y")])
        .error(400, "STREAM_WILDCARD_MENTION_NOT_ALLOWED");
    patch(&sender, id, &[("content", "@**topic** y")]).ok();
    assert!(flags(&sender, id).contains(&"topic_wildcard_mentioned".to_owned()));
}

#[test]
fn a_bot_edits_its_messages_and_its_owner_cannot() {
    let owner = server().user("member");
    let bot = server().bot();
    server()
        .database()
        .execute(
            "UPDATE users SET bot_owner_id = ?1 WHERE id = ?2",
            [owner.user_id, bot.user_id],
        )
        .expect("owner");
    let channel = fixture::channel(server(), ChannelKind::Public, &[&owner, &bot]);
    let id = to_channel(&bot, &channel, "t", "x");
    patch(&owner, id, &[("content", "y")]).bad_request();
    patch(&bot, id, &[("content", "y")]).ok();
}

#[test]
fn messages_of_archived_channels_cannot_be_changed() {
    let user = server().user("member");
    let administrator = server().user("administrator");
    let channel = fixture::channel(server(), ChannelKind::Public, &[&user]);
    let id = to_channel(&user, &channel, "t", "x");
    fixture::channel_column(server(), &channel, "is_archived", &true);
    patch(&user, id, &[("content", "y")]).bad_request();
    patch(&administrator, id, &[("topic", "u")]).bad_request();
}
