//! POST /submessage, and messages that become polls and to-do lists
//! (docs/protocol/messages.md#message-object, docs/protocol/markdown.md#media,
//! docs/protocol/events.md#submessage, docs/protocol/messages.md#send_submessage).

use serde_json::{Value, json};
use spindle_tests::fixture::{self, ChannelKind};
use spindle_tests::{Options, Queue, Reply, Server, User};

use super::{direct, read, to_channel};
use crate::support::{keys, server, settle};

const TYPES: [&str; 3] = ["message", "submessage", "user_status"];
const VOTE: &str = r#"{"type":"vote","key":"canned,0","vote":1}"#;

fn send(user: &User, message_id: i64, content: &str) -> Reply {
    let id = message_id.to_string();
    let pairs = [
        ("message_id", id.as_str()),
        ("msg_type", "widget"),
        ("content", content),
    ];
    user.post("/submessage", &pairs)
}

fn widget(submessages: &Value) -> Value {
    let content = submessages[0]["content"].as_str().expect("a widget");
    serde_json::from_str(content).expect("JSON")
}

#[test]
fn a_poll_is_a_message_with_a_submessage() {
    let (user, reader) = (server().user("member"), server().user("member"));
    let channel = fixture::channel(server(), ChannelKind::Public, &[&user, &reader]);
    let mut queue = Queue::of(&reader, &TYPES);
    let id = to_channel(&user, &channel, "t", "/poll Tea?\n- yes\nno\n");
    let event = queue.expect(|event| event["message"]["id"] == id);
    let submessages = &event["message"]["submessages"];
    assert_eq!(submessages.as_array().unwrap().len(), 1);
    let first = &submessages[0];
    assert_eq!(
        keys(first),
        ["content", "id", "message_id", "msg_type", "sender_id"]
    );
    assert_eq!(first["message_id"], id);
    assert_eq!(first["sender_id"], user.user_id);
    assert_eq!(first["msg_type"], "widget");
    assert_eq!(
        widget(submessages),
        json!({"widget_type": "poll", "extra_data": {"question": "Tea?", "options": ["yes", "no"]}})
    );
    let message = read(&reader, id);
    assert_eq!(&message["submessages"], submessages);
    assert!(message["content"].as_str().unwrap().starts_with("<p>/poll"));
}

#[test]
fn a_todo_list_has_a_submessage_and_other_commands_have_none() {
    let user = server().user("member");
    let id = direct(&user, &[&user], "/todo Home\nwash: all of it\ncook");
    assert_eq!(
        widget(&read(&user, id)["submessages"]),
        json!({"widget_type": "todo", "extra_data": {"task_list_title": "Home",
            "tasks": [{"task": "wash", "desc": "all of it"}, {"task": "cook", "desc": ""}]}})
    );
    for content in ["/polls Tea?", "see /poll Tea?", "/me waves", "`/todo`"] {
        let id = direct(&user, &[&user], content);
        assert_eq!(read(&user, id)["submessages"], json!([]), "{content}");
    }
}

#[test]
fn readers_vote_and_all_readers_receive_the_event() {
    let (user, reader) = (server().user("member"), server().user("guest"));
    let stranger = server().user("owner");
    let channel = fixture::channel(server(), ChannelKind::PrivateShared, &[&user, &reader]);
    let id = to_channel(&user, &channel, "t", "/poll Tea?\nyes");
    let mut queues = [Queue::of(&user, &TYPES), Queue::of(&reader, &TYPES)];
    let mut outside = Queue::of(&stranger, &TYPES);
    let body = send(&reader, id, VOTE).ok();
    assert_eq!(keys(&body), ["msg", "result"]);
    let submessages = read(&user, id)["submessages"].clone();
    assert_eq!(submessages.as_array().unwrap().len(), 2);
    for queue in &mut queues {
        let mut event = settle(queue).remove(0);
        event.as_object_mut().unwrap().remove("id");
        assert_eq!(
            event,
            json!({"type": "submessage", "msg_type": "widget", "content": VOTE,
                "message_id": id, "sender_id": reader.user_id,
                "submessage_id": submessages[1]["id"]})
        );
    }
    assert!(settle(&mut outside).is_empty());
    assert_eq!(submessages[1]["content"], VOTE);
}

/// A member who is not subscribed reads a public channel, and votes in it.
#[test]
fn readers_may_vote_and_for_others_the_message_is_missing() {
    let (user, member) = (server().user("member"), server().user("member"));
    let guest = server().user("guest");
    let public = fixture::channel(server(), ChannelKind::Public, &[&user]);
    let private = fixture::channel(server(), ChannelKind::PrivateShared, &[&user]);
    let open = to_channel(&user, &public, "t", "/poll Tea?\nyes");
    let hidden = to_channel(&user, &private, "t", "/poll Tea?\nyes");
    let secret = direct(&user, &[&user], "/poll Tea?\nyes");
    send(&member, open, VOTE).ok();
    let missing = send(&member, 99_999_999, VOTE).bad_request();
    for (caller, id) in [(&guest, open), (&member, hidden), (&member, secret)] {
        assert_eq!(send(caller, id, VOTE).bad_request()["msg"], missing["msg"]);
    }
}

/// Only the sender of a message can turn it into a widget.
#[test]
fn only_the_sender_adds_the_first_submessage() {
    let (user, other) = (server().user("member"), server().user("member"));
    let plain = direct(&user, &[&other], "plain");
    let poll = r#"{"widget_type":"poll","extra_data":{"question":"?","options":[]}}"#;
    send(&other, plain, poll).bad_request();
    send(&user, plain, poll).ok();
    send(&other, plain, VOTE).ok();
    assert_eq!(
        read(&user, plain)["submessages"].as_array().unwrap().len(),
        2
    );
}

#[test]
fn invalid_submessages_are_refused_and_change_nothing() {
    let (user, other) = (server().user("member"), server().user("member"));
    let poll = direct(&user, &[&other], "/poll Tea?\nyes");
    let todo = direct(&user, &[&other], "/todo Home\nwash");
    let mut queue = Queue::of(&user, &TYPES);
    for (id, content) in [
        (poll, "no JSON"),
        (poll, "[]"),
        (poll, r#"{"type":"vote","key":"canned,0","vote":7}"#),
        (poll, r#"{"type":"strike","key":"0,canned"}"#),
        (poll, r#"{"type":"new_option","option":"maybe","idx":1001}"#),
        (todo, VOTE),
        (todo, r#"{"type":"new_task","key":1,"task":"cook"}"#),
    ] {
        send(&user, id, content).bad_request();
    }
    for (id, content) in [
        (poll, r#"{"type":"question","question":"Coffee?"}"#),
        (todo, r#"{"type":"new_task_list_title","title":"Office"}"#),
    ] {
        send(&other, id, content).bad_request();
        send(&user, id, content).ok();
    }
    for (id, content) in [
        (poll, r#"{"type":"new_option","option":"maybe","idx":2}"#),
        (todo, r#"{"type":"strike","key":"0,canned"}"#),
        (
            todo,
            r#"{"type":"new_task","key":2,"task":"cook","desc":"","completed":false}"#,
        ),
    ] {
        send(&other, id, content).ok();
    }
    assert_eq!(settle(&mut queue).len(), 5);
}

#[test]
fn submessages_hold_no_characters_that_cannot_be_printed() {
    let user = server().user("member");
    let poll = direct(&user, &[&user], "/poll Tea?\nyes");
    for text in ["\u{7}", "\u{1B}[31m", "\u{200B}", "\u{202E}yes", "\u{E000}"] {
        let option = json!({"type": "new_option", "idx": 1, "option": text}).to_string();
        send(&user, poll, &option).bad_request();
        let vote = json!({"type": "vote", "key": text, "vote": 1}).to_string();
        send(&user, poll, &vote).bad_request();
    }
    // Content may hold them, but what clients make of a poll does not.
    let poll = direct(&user, &[&user], "/poll Tea\u{202E}?\ny\u{200B}es");
    assert_eq!(
        widget(&read(&user, poll)["submessages"])["extra_data"],
        json!({"question": "Tea?", "options": ["yes"]})
    );
}

/// One person fills their share, with a bot as well, and everybody else can still vote.
#[test]
fn one_person_cannot_end_a_poll() {
    let server = Server::own(Options::default());
    let (user, other) = (server.user("member"), server.user("member"));
    let bot = server.bot();
    let set = "UPDATE users SET bot_owner_id = ?1 WHERE id = ?2";
    server
        .database()
        .execute(set, [other.user_id, bot.user_id])
        .expect("an owner");
    let channel = fixture::channel(&server, ChannelKind::Public, &[&user, &other, &bot]);
    let id = to_channel(&user, &channel, "t", "/poll Tea?\nyes");
    let fill = |sender: &User, count: i64, bytes: usize| {
        let sql = format!(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {count}) \
             INSERT INTO submessages (message_id, sender_id, msg_type, content) \
             SELECT {id}, {}, 'widget', printf('%.{bytes}c', 'x') FROM n",
            sender.user_id
        );
        server.database().execute_batch(&sql).expect("submessages");
    };
    let large = json!({"type": "new_option", "idx": 1, "option": "x".repeat(300)}).to_string();
    fill(&bot, 10, 4_990);
    for sender in [&other, &bot] {
        send(sender, id, &large).bad_request();
    }
    send(&other, id, VOTE).ok();
    fill(&other, 1, 200);
    send(&other, id, VOTE).bad_request();
    send(&user, id, &large).ok();
    send(&user, id, VOTE).ok();
    // What many have filled up to the reserve has room for votes.
    fill(&server.user("member"), 9, 95_000);
    send(&user, id, &large).bad_request();
    send(&user, id, VOTE).ok();
    // A share is a number as well.
    let id = to_channel(&user, &channel, "t", "/poll Tea?\nyes");
    let sql = format!(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500) \
         INSERT INTO submessages (message_id, sender_id, msg_type, content) \
         SELECT {id}, {}, 'widget', '{{}}' FROM n",
        other.user_id
    );
    server.database().execute_batch(&sql).expect("submessages");
    send(&other, id, VOTE).bad_request();
    send(&user, id, VOTE).ok();
}

#[test]
fn missing_and_wrong_parameters_are_refused() {
    let user = server().user("member");
    let id = direct(&user, &[&user], "/poll Tea?").to_string();
    let all = [
        ("message_id", id.as_str()),
        ("msg_type", "widget"),
        ("content", VOTE),
    ];
    for left_out in ["message_id", "msg_type", "content"] {
        let mut pairs = all.to_vec();
        pairs.retain(|(name, _)| *name != left_out);
        let error = user
            .post("/submessage", &pairs)
            .error(400, "REQUEST_VARIABLE_MISSING");
        assert_eq!(error["var_name"], left_out);
    }
    for (name, value) in [("message_id", "x"), ("msg_type", "gadget")] {
        let mut pairs = all.to_vec();
        pairs.push((name, value));
        user.post("/submessage", &pairs).bad_request();
    }
}

#[test]
fn submessages_are_deleted_with_their_message() {
    let user = server().user("member");
    let id = direct(&user, &[&user], "/poll Tea?\nyes");
    send(&user, id, VOTE).ok();
    user.delete(&format!("/messages/{id}"), &[]).ok();
    send(&user, id, VOTE).bad_request();
    let left: i64 = server()
        .database()
        .query_row(
            "SELECT count(*) FROM submessages WHERE message_id = ?1",
            [id],
            |row| row.get(0),
        )
        .unwrap();
    assert_eq!(left, 0);
}

/// Votes apply to the text at the time of voting, so it cannot be edited.
#[test]
fn the_text_of_a_widget_cannot_be_edited() {
    let user = server().user("member");
    let channel = fixture::channel(server(), ChannelKind::Public, &[&user]);
    for text in ["/poll Tea?\nyes\nno", "/todo Home\ncook"] {
        let id = to_channel(&user, &channel, "t", text);
        let before = read(&user, id);
        let path = format!("/messages/{id}");
        user.patch(&path, &[("content", "other")]).bad_request();
        let both = [("content", text), ("topic", "u")];
        user.patch(&path, &both).bad_request();
        assert_eq!(read(&user, id), before);
        // It can be moved, with its votes.
        user.patch(&path, &[("topic", "u")]).ok();
        assert_eq!(read(&user, id)["subject"], "u");
        assert_eq!(read(&user, id)["submessages"], before["submessages"]);
    }
}
