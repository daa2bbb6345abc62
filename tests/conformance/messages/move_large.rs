//! PATCH /messages/{message_id} with topics of more messages than one transaction takes (ADR 0029).
//!
//! Such a move is made in parts, and the last parts may come after the answer. Each message is in
//! exactly one event, and single effects of a move, such as notices, happen once.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use spindle_tests::fixture::{self, Channel, ChannelKind};
use spindle_tests::{Options, Queue, Server, User, until};

use super::edit_support::{age, listen, patch, place, realm_permission, setting};
use super::{read, to_channel};
use crate::support::{server, settle};

/// More than one request moves, so that the job has parts left to do.
const LARGE: usize = 7000;

/// Waits until no change of many messages has parts left.
#[track_caller]
fn completed(server: &Server) {
    let sql =
        "SELECT (SELECT count(*) FROM message_moves) + (SELECT count(*) FROM message_erasures)";
    until("all changes are complete", || {
        let left: rusqlite::Result<i64> = server.database().query_row(sql, [], |row| row.get(0));
        (left.expect("count") == 0).then_some(())
    });
}

fn in_topic(server: &Server, channel: &Channel, topic: &str) -> Vec<i64> {
    let database = server.database();
    let sql = "SELECT id FROM messages WHERE channel_id = ?1 AND topic = ?2 ORDER BY id";
    let ids = database.rows(sql, (channel.stream_id, topic), |row| row.get(0));
    ids.expect("ids")
}

fn all_of(user: &User, id: i64, pairs: &[(&str, &str)]) -> spindle_tests::Reply {
    let mut all = vec![("propagate_mode", "change_all")];
    all.extend_from_slice(pairs);
    patch(user, id, &all)
}

/// The events of a move in a queue: every message once, in several events that agree otherwise.
#[track_caller]
fn is_in_one_event_each(events: &[Value], ids: &[i64], named: i64, expected: &Value) {
    let moves: Vec<&Value> = events
        .iter()
        .filter(|event| event["type"] == "update_message")
        .collect();
    assert!(moves.len() > 1, "in parts");
    assert_eq!(moves[0]["message_id"], named);
    let mut received = Vec::new();
    for event in &moves {
        let part: Vec<i64> = serde_json::from_value(event["message_ids"].clone()).expect("ids");
        assert!(part.is_sorted());
        assert!(part.contains(&event["message_id"].as_i64().expect("message_id")));
        received.extend(part);
        for (name, value) in expected.as_object().expect("fields") {
            assert_eq!(&event[name], value, "{name}");
        }
        assert_eq!(event["edit_timestamp"], moves[0]["edit_timestamp"]);
        assert_eq!(event.get("content"), None);
    }
    assert_eq!(received.len(), ids.len(), "each is in one event");
    let received: BTreeSet<i64> = received.into_iter().collect();
    assert_eq!(received, ids.iter().copied().collect());
}

fn notices(events: &[Value]) -> Vec<&str> {
    let said = events.iter().filter(|event| event["type"] == "message");
    said.filter_map(|event| event["message"]["content"].as_str())
        .filter(|content| !content.contains("beside"))
        .collect()
}

/// Resolved, renamed and moved to another channel, while another account sends.
#[test]
fn a_large_topic_moves_in_parts() {
    let server = Server::own(Options::default());
    let [mover, reader] = ["moderator", "member"].map(|role| server.user(role));
    let bystander = server.user("member");
    let channel = fixture::channel(&server, ChannelKind::Public, &[&mover, &reader]);
    let target = fixture::channel(&server, ChannelKind::Public, &[&mover, &reader]);
    let elsewhere = fixture::channel(&server, ChannelKind::Public, &[&bystander]);
    let ids = fixture::messages(&server, &channel, "t", &[&mover, &reader], LARGE);
    let (first, named) = (ids[0], ids[LARGE / 2]);
    let follow = |topic: &str, policy: &str| {
        let pairs = [
            ("stream_id", channel.id()),
            ("topic", topic.to_owned()),
            ("visibility_policy", policy.to_owned()),
        ];
        let pairs = pairs
            .each_ref()
            .map(|(name, value)| (*name, value.as_str()));
        reader.post("/user_topics", &pairs).ok();
    };
    follow("t", "3");
    let mut queue = listen(&reader);
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let sends = scope.spawn(|| {
            let mut sent = 0;
            while !is_over.load(Ordering::SeqCst) {
                to_channel(&bystander, &elsewhere, "beside", "beside");
                sent += 1;
                std::thread::sleep(Duration::from_millis(5));
            }
            sent
        });
        struct Ends<'a>(&'a AtomicBool);
        impl Drop for Ends<'_> {
            fn drop(&mut self) {
                self.0.store(true, Ordering::SeqCst);
            }
        }
        let ends = Ends(&is_over);
        let fields = |orig: &str, subject: &str, to: Value| {
            json!({"stream_id": channel.stream_id, "orig_subject": orig, "subject": subject,
                "new_stream_id": to, "propagate_mode": "change_all", "user_id": mover.user_id})
        };
        let wait = |queue: &mut Queue, topic: &str| {
            completed(&server);
            queue.until(|event| {
                event["type"] == "user_topic"
                    && event["topic_name"] == topic
                    && event["visibility_policy"] == 3
            })
        };
        all_of(&mover, named, &[("topic", "✔ t")]).ok();
        let resolved = wait(&mut queue, "✔ t");
        is_in_one_event_each(&resolved, &ids, named, &fields("t", "✔ t", Value::Null));
        all_of(&mover, named, &[("topic", "u")]).ok();
        let mut renamed = wait(&mut queue, "u");
        renamed.splice(
            0..0,
            resolved
                .iter()
                .filter(|event| event["type"] == "message")
                .cloned(),
        );
        let said = notices(&renamed);
        assert_eq!(said.len(), 1, "{said:?}");
        assert!(
            said[0].contains("marked this topic as resolved"),
            "{said:?}"
        );
        let mut whole = ids.clone();
        let notice = in_topic(&server, &channel, "u");
        whole.extend(notice.iter().filter(|id| !ids.contains(id)));
        is_in_one_event_each(&renamed, &whole, named, &fields("✔ t", "u", Value::Null));
        let (name, to) = ("stream_id", target.id());
        let pairs = [
            (name, to.as_str()),
            ("send_notification_to_old_thread", "true"),
        ];
        all_of(&mover, named, &pairs).ok();
        completed(&server);
        let mut moved = queue.until(|event| {
            event["message"]["content"]
                .as_str()
                .is_some_and(|content| content.contains("moved to"))
        });
        moved.extend(queue.poll());
        assert_eq!(notices(&moved).len(), 1);
        assert!(notices(&moved)[0].starts_with("This topic was moved to"));
        let expected = json!({"stream_id": channel.stream_id, "orig_subject": "u",
            "new_stream_id": target.stream_id, "propagate_mode": "change_all"});
        is_in_one_event_each(&moved, &whole, named, &expected);
        assert_eq!(in_topic(&server, &target, "u"), whole);
        drop(ends);
        let sent = sends.join().expect("the bystander");
        assert_eq!(in_topic(&server, &elsewhere, "beside").len(), sent);
    });
    let history = read(&mover, first)["edit_history"].clone();
    let entries: Vec<(Value, Value)> = history
        .as_array()
        .expect("entries")
        .iter()
        .map(|entry| (entry["prev_topic"].clone(), entry["prev_stream"].clone()))
        .collect();
    let expected = [
        (Value::Null, json!(channel.stream_id)),
        (json!("✔ t"), Value::Null),
        (json!("t"), Value::Null),
    ];
    assert_eq!(entries, expected);
    let findings = server.admin(&["check"]);
    assert_eq!(findings["findings"], json!([]), "{findings}");
}

/// Messages sent to the old topic during the move stay there, although the topic counts as moved.
#[test]
fn messages_sent_after_a_move_has_begun_stay() {
    let server = Server::own(Options::default());
    let user = server.user("moderator");
    let channel = fixture::channel(&server, ChannelKind::Public, &[&user]);
    let ids = fixture::messages(&server, &channel, "t", &[&user], LARGE);
    all_of(&user, ids[0], &[("topic", "u"), ("content", "changed")]).ok();
    let later = to_channel(&user, &channel, "t", "later");
    // The content and the named message have changed before the answer.
    assert_eq!(place(&user, ids[0]).expect("read").1, "u");
    assert_eq!(read(&user, ids[0])["content"], "<p>changed</p>");
    completed(&server);
    assert_eq!(in_topic(&server, &channel, "t"), [later]);
    assert_eq!(in_topic(&server, &channel, "u"), ids);
    assert!(read(&user, ids[0])["edit_history"][0]["prev_content"].is_string());
    assert_eq!(
        read(&user, ids[1])["edit_history"].as_array().map(Vec::len),
        Some(1)
    );
}

#[test]
fn a_second_move_and_a_deletion_wait_for_the_first_move() {
    let server = Server::own(Options::default());
    let user = server.user("administrator");
    let channel = fixture::channel(&server, ChannelKind::Public, &[&user]);
    let ids = fixture::messages(&server, &channel, "t", &[&user], LARGE);
    let named = ids[10];
    all_of(&user, named, &[("topic", "u")]).ok();
    // Only the case changes.
    all_of(&user, named, &[("topic", "U")]).ok();
    let later = to_channel(&user, &channel, "t", "later");
    let path = format!("/streams/{}/delete_topic", channel.stream_id);
    while user.post(&path, &[("topic_name", "t")]).ok()["complete"] != true {}
    assert_eq!(place(&user, later), None);
    completed(&server);
    assert_eq!(in_topic(&server, &channel, "t"), [0_i64; 0]);
    assert_eq!(in_topic(&server, &channel, "U"), ids);
    for id in [ids[0], named, ids[LARGE - 1]] {
        let history = read(&user, id)["edit_history"].clone();
        assert_eq!(history.as_array().map(Vec::len), Some(2), "{history}");
    }
}

#[test]
fn the_time_limit_applies_to_all_messages_of_a_large_topic() {
    let server = Server::own(Options::default());
    let user = server.user("member");
    let channel = fixture::channel(&server, ChannelKind::Public, &[&user]);
    setting(
        &server,
        "move_messages_within_stream_limit_seconds",
        json!(1000),
    );
    realm_permission(
        &server,
        "can_move_messages_between_topics_group",
        "role:members",
    );
    let ids = fixture::messages(&server, &channel, "t", &[&user], 2000);
    age(&server, ids[0], 2000);
    let body =
        all_of(&user, ids[1999], &[("topic", "u")]).error(400, "MOVE_MESSAGES_TIME_LIMIT_EXCEEDED");
    assert_eq!(body["first_message_id_allowed_to_move"], ids[1]);
    assert_eq!(body["total_messages_in_topic"], 2000);
    assert_eq!(body["total_messages_allowed_to_move"], 1999);
    assert_eq!(in_topic(&server, &channel, "t"), ids);
    let pairs = [("topic", "u"), ("propagate_mode", "change_later")];
    patch(&user, ids[1], &pairs).ok();
    completed(&server);
    assert_eq!(in_topic(&server, &channel, "u"), ids[1..]);
    assert_eq!(in_topic(&server, &channel, "t"), ids[..1]);
}

/// A move into a channel with protected history delivers the messages to its subscribers.
#[test]
fn moving_a_large_topic_delivers_it_to_the_subscribers() {
    let user = server().user("moderator");
    let late = server().user("member");
    let outsider = server().user("member");
    let channel = fixture::channel(server(), ChannelKind::Public, &[&user, &outsider]);
    let target = fixture::channel(server(), ChannelKind::PrivateProtected, &[&user, &late]);
    let ids = fixture::messages(server(), &channel, "t", &[&user, &outsider], 2000);
    let mut queue = listen(&outsider);
    let stream = target.id();
    all_of(&user, ids[3], &[("stream_id", stream.as_str())]).ok();
    completed(server());
    for id in [ids[0], ids[3], ids[1999]] {
        assert_eq!(place(&late, id), Some((target.stream_id, "t".to_owned())));
        assert_eq!(place(&outsider, id), None);
    }
    let mut lost: Vec<i64> = Vec::new();
    for event in settle(&mut queue) {
        if event["type"] == "delete_message" {
            let part: Vec<i64> = serde_json::from_value(event["message_ids"].clone()).expect("ids");
            lost.extend(part);
        }
    }
    lost.sort_unstable();
    assert_eq!(lost, ids);
}

/// The messages of a deleted account are deleted in parts too.
#[test]
fn many_messages_of_an_account_are_deleted() {
    let admin = server().user("administrator");
    let (user, reader) = (server().user("member"), server().user("member"));
    let channel = fixture::channel(server(), ChannelKind::Public, &[&user, &reader]);
    let ids = fixture::messages(server(), &channel, "t", &[&user, &reader], 1500);
    let kept = to_channel(&reader, &channel, "t", "x");
    let mut queue = listen(&reader);
    let actions = json!({"delete_public_channel_messages": true}).to_string();
    let path = format!("/users/{}", user.id());
    admin.delete(&path, &[("actions", &actions)]).ok();
    completed(server());
    assert_eq!(in_topic(server(), &channel, "t"), [kept]);
    let mut gone: Vec<i64> = Vec::new();
    for event in settle(&mut queue) {
        if event["type"] == "delete_message" {
            let part: Vec<i64> = serde_json::from_value(event["message_ids"].clone()).expect("ids");
            assert!(part.len() <= 100);
            gone.extend(part);
        }
    }
    gone.sort_unstable();
    assert_eq!(gone, ids);
}
