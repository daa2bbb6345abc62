//! GET /messages by anchor (docs/protocol/clients.md#zulip-terminal,
//! docs/protocol/messages.md#get_messages).

use serde_json::{Value, json};
use spindle_tests::User;
use spindle_tests::fixture::{self, Channel, ChannelKind};

use super::{direct, to_channel};
use crate::support::{keys, server};

/// A user with seven messages in a channel of their own.
fn seven() -> (User, Channel, Vec<i64>) {
    let user = server().user("member");
    let channel = fixture::channel(server(), ChannelKind::PrivateShared, &[&user]);
    let ids = (0..7)
        .map(|number| to_channel(&user, &channel, "t", &number.to_string()))
        .collect();
    (user, channel, ids)
}

fn fetch(user: &User, anchor: &str, before: i64, after: i64, extra: &[(&str, &str)]) -> Value {
    let (before, after) = (before.to_string(), after.to_string());
    let mut pairs = vec![
        ("anchor", anchor),
        ("num_before", &before),
        ("num_after", &after),
    ];
    pairs.extend(extra);
    user.get("/messages", &pairs).ok()
}

fn ids(body: &Value) -> Vec<i64> {
    body["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| item["id"].as_i64().unwrap())
        .collect()
}

#[test]
fn the_answer_has_six_fields_and_messages_in_order() {
    let (user, _, sent) = seven();
    let body = fetch(&user, "newest", 100, 0, &[]);
    assert_eq!(
        keys(&body),
        [
            "anchor",
            "found_anchor",
            "found_newest",
            "found_oldest",
            "history_limited",
            "messages",
            "msg",
            "result",
        ]
    );
    assert_eq!(ids(&body), sent);
    assert_eq!(body["history_limited"], false);
    assert_eq!(body["found_newest"], true);
    assert_eq!(body["found_oldest"], true);
    for message in body["messages"].as_array().unwrap() {
        assert!(message["flags"].is_array());
        assert_eq!(
            message["content_type"], "text/html",
            "rendered is the default here"
        );
        assert!(message.get("match_content").is_none());
    }
}

#[test]
fn before_after_and_around_a_message() {
    let (user, _, sent) = seven();
    let middle = sent[3].to_string();
    let body = fetch(&user, &middle, 2, 2, &[]);
    assert_eq!(ids(&body), sent[1..6]);
    assert_eq!(body["anchor"], sent[3]);
    assert_eq!(
        [
            &body["found_anchor"],
            &body["found_oldest"],
            &body["found_newest"]
        ],
        [true, false, false]
    );
    let body = fetch(&user, &middle, 2, 0, &[]);
    assert_eq!(ids(&body), sent[1..4]);
    assert_eq!(body["found_anchor"], true);
    let body = fetch(&user, &middle, 0, 2, &[]);
    assert_eq!(ids(&body), sent[3..6]);
    let body = fetch(&user, &middle, 3, 0, &[]);
    assert_eq!(ids(&body), sent[0..4]);
    let body = fetch(&user, &middle, 4, 4, &[]);
    assert_eq!(ids(&body), sent);
    assert_eq!([&body["found_oldest"], &body["found_newest"]], [true, true]);
    let body = fetch(&user, &middle, 0, 0, &[]);
    assert_eq!(ids(&body), [sent[3]]);
}

#[test]
fn the_anchor_itself_can_be_left_out_at_an_end() {
    let (user, _, sent) = seven();
    let middle = sent[3].to_string();
    let without = [("include_anchor", "false")];
    assert_eq!(ids(&fetch(&user, &middle, 2, 0, &without)), sent[1..3]);
    assert_eq!(ids(&fetch(&user, &middle, 0, 2, &without)), sent[4..6]);
    let pairs = [
        ("anchor", middle.as_str()),
        ("num_before", "1"),
        ("num_after", "1"),
        ("include_anchor", "false"),
    ];
    user.get("/messages", &pairs).bad_request();
}

#[test]
fn oldest_and_newest() {
    let (user, _, sent) = seven();
    let body = fetch(&user, "oldest", 0, 3, &[]);
    assert_eq!(ids(&body), sent[0..3]);
    assert_eq!(body["found_oldest"], true);
    assert_eq!(body["found_newest"], false);
    let body = fetch(&user, "newest", 3, 0, &[]);
    assert_eq!(ids(&body), sent[4..7]);
    assert_eq!(body["found_newest"], true);
    assert_eq!(body["found_oldest"], false);
    // The terminal client sends this for "newest".
    let body = fetch(&user, "10000000000000000", 3, 0, &[]);
    assert_eq!(ids(&body), sent[4..7]);
    assert_eq!(body["found_newest"], true);
    let body = fetch(&user, "0", 0, 2, &[]);
    assert_eq!(ids(&body), sent[0..2]);
    assert_eq!(body["found_oldest"], true);
}

#[test]
fn an_anchor_between_messages_is_reported_as_not_found() {
    let (user, _, sent) = seven();
    let other = server().user("member");
    direct(&other, &[&other], "takes an id in between");
    let between = (sent[6] + 1).to_string();
    let body = fetch(&user, &between, 2, 2, &[]);
    assert_eq!(body["found_anchor"], false);
    assert_eq!(ids(&body), sent[5..7]);
}

#[test]
fn first_unread_is_the_anchor_by_default_for_human_users() {
    let sender = server().user("member");
    let user = server().user("member");
    let first = direct(&sender, &[&user], "1");
    let second = direct(&sender, &[&user], "2");
    let database = server().database();
    database
        .execute(
            "UPDATE user_messages SET flags = flags | 1 WHERE user_id = ?1 AND message_id = ?2",
            [user.user_id, first],
        )
        .unwrap();
    let body = fetch(&user, "first_unread", 1, 1, &[]);
    assert_eq!(body["anchor"], second);
    assert_eq!(ids(&body), [first, second]);
    assert_eq!(body["found_anchor"], true);
    // The terminal client sends this for the first unread message.
    let legacy = [("use_first_unread_anchor", "true")];
    let body = fetch(&user, "0", 1, 1, &legacy);
    assert_eq!(body["anchor"], second);
    // When everything is read: the newest.
    database
        .execute(
            "UPDATE user_messages SET flags = flags | 1 WHERE user_id = ?1",
            [user.user_id],
        )
        .unwrap();
    let body = fetch(&user, "first_unread", 5, 5, &[]);
    assert_eq!(ids(&body), [first, second]);
    assert_eq!(body["found_newest"], true);
}

#[test]
fn a_date_finds_the_first_message_after_it() {
    let (user, _, sent) = seven();
    let database = server().database();
    for (number, id) in sent.iter().enumerate() {
        let time = 1_700_000_000 + 86_400 * number as i64;
        database
            .execute(
                "UPDATE messages SET date_sent = ?1 WHERE id = ?2",
                [time, *id],
            )
            .unwrap();
    }
    // Noon of the third day's message is 2023-11-16T22:13:20Z.
    let body = fetch(
        &user,
        "date",
        0,
        1,
        &[("anchor_date", "2023-11-16T00:00:00Z")],
    );
    assert_eq!(ids(&body)[0], sent[2]);
    let pairs = [("anchor", "date"), ("num_before", "1"), ("num_after", "1")];
    assert_eq!(
        user.get("/messages", &pairs).status,
        400,
        "anchor_date is needed"
    );
    let pairs = [
        ("anchor", "date"),
        ("anchor_date", "yesterday"),
        ("num_before", "1"),
        ("num_after", "1"),
    ];
    user.get("/messages", &pairs).bad_request();
}

#[test]
fn limits_and_missing_parameters() {
    let user = server().user("member");
    let pairs = |before: &'static str, after: &'static str, anchor: &'static str| {
        vec![
            ("num_before", before),
            ("num_after", after),
            ("anchor", anchor),
        ]
    };
    user.get("/messages", &pairs("5000", "0", "newest")).ok();
    user.get("/messages", &pairs("2500", "2501", "newest"))
        .bad_request();
    user.get("/messages", &pairs("-1", "0", "newest"))
        .bad_request();
    user.get("/messages", &pairs("1", "1", "bogus"))
        .bad_request();
    user.get("/messages", &pairs("1", "1", "1.5")).bad_request();
    user.get("/messages", &pairs("x", "1", "newest"))
        .bad_request();
    // The Rust client sends no num_after.
    user.get("/messages", &[("num_before", "5"), ("anchor", "newest")])
        .ok();
}

#[test]
fn messages_can_be_requested_by_ids() {
    let (user, _, sent) = seven();
    let stranger = server().user("member");
    let wanted = json!([sent[4], sent[1], 99_999_999]).to_string();
    let body = user.get("/messages", &[("message_ids", &wanted)]).ok();
    assert_eq!(
        ids(&body),
        [sent[1], sent[4]],
        "ascending, the unknown one absent"
    );
    let body = stranger.get("/messages", &[("message_ids", &wanted)]).ok();
    assert_eq!(ids(&body), Vec::<i64>::new());
    let both = [("message_ids", wanted.as_str()), ("anchor", "newest")];
    assert_eq!(user.get("/messages", &both).status, 400);
}

#[test]
fn without_a_narrow_only_received_messages_are_returned() {
    let user = server().user("member");
    let other = server().user("member");
    let channel = fixture::channel(server(), ChannelKind::Public, &[&other]);
    let id = to_channel(&other, &channel, "t", "before the subscription");
    direct(&other, &[&other], "private");
    assert_eq!(ids(&fetch(&user, "newest", 100, 0, &[])), Vec::<i64>::new());
    let narrow = json!([{"operator": "channel", "operand": channel.name}]).to_string();
    let body = fetch(&user, "newest", 100, 0, &[("narrow", &narrow)]);
    assert_eq!(
        ids(&body),
        [id],
        "a narrow to the channel opens its history"
    );
    let mut flags: Vec<&str> = body["messages"][0]["flags"]
        .as_array()
        .unwrap()
        .iter()
        .map(|flag| flag.as_str().unwrap())
        .collect();
    flags.sort_unstable();
    assert_eq!(flags, ["historical", "read"]);
}

#[test]
fn raw_content_and_avatars_can_be_asked_for() {
    let user = server().user("member");
    direct(&user, &[&user], "a *b*");
    let extra = [("apply_markdown", "false"), ("client_gravatar", "false")];
    let body = fetch(&user, "newest", 1, 0, &extra);
    let message = &body["messages"][0];
    assert_eq!(message["content"], "a *b*");
    assert_eq!(message["content_type"], "text/x-markdown");
    assert!(message["avatar_url"].is_string());
}
