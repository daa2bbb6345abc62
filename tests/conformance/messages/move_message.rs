//! PATCH /messages/{message_id}, topic and channel (docs/protocol/traps.md#propagate-mode,
//! docs/protocol/messages.md#update_message).

use serde_json::{Value, json};
use spindle_tests::fixture::{self, Channel, ChannelKind};
use spindle_tests::{Options, Server, User};

use super::edit_support::{
    age, flags, heard, listen, moved, patch, place, realm_permission, setting, to,
};
use super::{read, to_channel};
use crate::support::server;

fn send(sender: &User, channel: &Channel, topic: &str, count: usize) -> Vec<i64> {
    (0..count)
        .map(|_| to_channel(sender, channel, topic, "x"))
        .collect()
}

#[test]
fn each_propagation_mode_moves_its_part_of_the_topic() {
    let user = server().user("member");
    let channel = fixture::channel(server(), ChannelKind::Public, &[&user]);
    let table = [
        (None, [false, true, false]),
        (Some("change_one"), [false, true, false]),
        (Some("change_later"), [false, true, true]),
        (Some("change_all"), [true, true, true]),
    ];
    for (number, (mode, expected)) in table.into_iter().enumerate() {
        let old = format!("old {number}");
        let ids = send(&user, &channel, &old, 3);
        let elsewhere = to_channel(&user, &channel, "other", "x");
        let mut queue = listen(&user);
        let mut pairs = vec![("topic", "new")];
        pairs.extend(mode.map(|mode| ("propagate_mode", mode)));
        patch(&user, ids[1], &pairs).ok();
        let mut went = Vec::new();
        for (id, expected) in ids.iter().zip(expected) {
            let topic = if expected { "new" } else { &old };
            assert_eq!(
                place(&user, *id),
                Some((channel.stream_id, topic.to_owned()))
            );
            went.extend(expected.then_some(*id));
        }
        assert_eq!(place(&user, elsewhere).expect("read").1, "other");
        let received = heard(&mut queue, "update_message");
        assert_eq!(received.len(), 1);
        assert_eq!(
            moved(&received[0]),
            json!({"message_id": ids[1], "message_ids": went, "stream_id": channel.stream_id,
                "propagate_mode": mode.unwrap_or("change_one"), "orig_subject": old,
                "subject": "new", "new_stream_id": null})
        );
        assert_eq!(received[0]["topic_links"], json!([]));
        assert_eq!(received[0].get("content"), None);
    }
}

#[test]
fn topics_are_found_without_case_and_shown_as_in_the_move() {
    let user = server().user("member");
    let channel = fixture::channel(server(), ChannelKind::Public, &[&user]);
    let ids = [
        to_channel(&user, &channel, "Lunch", "x"),
        to_channel(&user, &channel, "LUNCH", "x"),
    ];
    let pairs = [("topic", " lunch "), ("propagate_mode", "change_all")];
    patch(&user, ids[0], &pairs).ok();
    for id in ids {
        assert_eq!(place(&user, id).expect("read").1, "lunch");
    }
}

#[test]
fn a_move_to_the_same_place_does_nothing() {
    let user = server().user("member");
    let channel = fixture::channel(server(), ChannelKind::Public, &[&user]);
    let id = to_channel(&user, &channel, "t", "x");
    let mut queue = listen(&user);
    let (name, stream) = to(&channel);
    patch(&user, id, &[("topic", "t"), (name, &stream)]).ok();
    assert_eq!(heard(&mut queue, "update_message"), [] as [Value; 0]);
    // A new text with the topic unchanged is an edit, not a move.
    patch(&user, id, &[("topic", "t"), ("content", "y")]).ok();
    let received = heard(&mut queue, "update_message");
    assert_eq!(received.len(), 1);
    assert_eq!(received[0].get("propagate_mode"), None);
    assert_eq!(received[0].get("orig_subject"), None);
    assert_eq!(read(&user, id).get("last_moved_timestamp"), None);
}

#[test]
fn text_and_topic_change_in_one_request() {
    let user = server().user("member");
    let channel = fixture::channel(server(), ChannelKind::Public, &[&user]);
    let ids = send(&user, &channel, "t", 2);
    let pairs = [
        ("topic", "u"),
        ("content", "y"),
        ("propagate_mode", "change_all"),
    ];
    patch(&user, ids[1], &pairs).ok();
    let one = read(&user, ids[0]);
    let two = read(&user, ids[1]);
    let time = two["last_edit_timestamp"].clone();
    assert_eq!(two["last_moved_timestamp"], time);
    assert_eq!(one["last_moved_timestamp"], time);
    assert_eq!(one.get("last_edit_timestamp"), None);
    assert_eq!(
        one["edit_history"],
        json!([{"user_id": user.user_id, "timestamp": time, "prev_topic": "t", "topic": "u"}])
    );
    assert_eq!(
        two["edit_history"],
        json!([{"user_id": user.user_id, "timestamp": time, "prev_topic": "t", "topic": "u",
            "prev_content": "x", "prev_rendered_content": "<p>x</p>"}])
    );
}

#[test]
fn long_topics_are_cut_and_the_empty_topic_has_several_names() {
    let user = server().user("member");
    let channel = fixture::channel(server(), ChannelKind::Public, &[&user]);
    let id = to_channel(&user, &channel, "t", "x");
    patch(&user, id, &[("topic", &"ü".repeat(61))]).ok();
    let expected = format!("{}...", "ü".repeat(57));
    assert_eq!(place(&user, id).expect("read").1, expected);
    for name in ["(no topic)", "general chat", ""] {
        patch(&user, id, &[("topic", "t")]).ok();
        patch(&user, id, &[("topic", name)]).ok();
        assert_eq!(place(&user, id).expect("read").1, "");
    }
}

#[test]
fn moving_within_a_channel_needs_a_permission_of_channel_or_organization() {
    let server = Server::start(Options::default());
    let sender = server.user("member");
    let other = server.user("member");
    let channel = fixture::channel(&server, ChannelKind::Public, &[&sender, &other]);
    let id = to_channel(&sender, &channel, "t", "x");
    let rename = |user: &User, topic: &str| patch(user, id, &[("topic", topic)]);
    rename(&other, "by everybody").ok();
    let permission = "can_move_messages_between_topics_group";
    realm_permission(&server, permission, "role:administrators");
    rename(&other, "refused").bad_request();
    rename(&sender, "refused").bad_request();
    let own = "can_move_messages_within_channel_group";
    fixture::channel_permission(&server, &channel, own, "role:members");
    rename(&other, "by the channel").ok();
    // Resolving has a permission of its own.
    fixture::channel_permission(&server, &channel, own, "role:nobody");
    rename(&other, "\u{2714} by the channel").ok();
    rename(&other, "\u{2714} something else").bad_request();
    rename(&other, "by the channel").ok();
    realm_permission(&server, "can_resolve_topics_group", "role:nobody");
    rename(&other, "\u{2714} by the channel").bad_request();
    let resolve = "can_resolve_topics_group";
    fixture::channel_permission(&server, &channel, resolve, "role:members");
    rename(&other, "\u{2714} by the channel").ok();
}

/// Each part of a move requires its own permission, and no other.
#[test]
fn resolving_and_moving_to_another_channel_in_one_request() {
    let server = Server::start(Options::default());
    let user = server.user("member");
    let [from, to] = [(); 2].map(|()| fixture::channel(&server, ChannelKind::Public, &[&user]));
    let go = |topic: &str, new: &str| {
        let id = to_channel(&user, &from, topic, "x");
        patch(&user, id, &[("stream_id", &to.id()), ("topic", new)])
    };
    realm_permission(&server, "can_resolve_topics_group", "role:nobody");
    go("one", "\u{2714} one").bad_request();
    go("\u{2714} two", "two").bad_request();
    go("three", "three").ok();
    go("four", "\u{2714} another").ok();
    realm_permission(&server, "can_resolve_topics_group", "role:everyone");
    let within = "can_move_messages_between_topics_group";
    realm_permission(&server, within, "role:nobody");
    go("five", "\u{2714} five").ok();
    go("\u{2714} six", "six").ok();
    go("seven", "another").bad_request();
    go("eight", "\u{2714} another").bad_request();
    realm_permission(
        &server,
        "can_move_messages_between_channels_group",
        "role:nobody",
    );
    go("nine", "\u{2714} nine").bad_request();
}

/// Resolving a topic is in the history, but does not count as a move of its messages.
#[test]
fn resolving_a_topic_is_not_a_move() {
    let user = server().user("member");
    let channel = fixture::channel(server(), ChannelKind::Public, &[&user]);
    let id = to_channel(&user, &channel, "t", "x");
    patch(&user, id, &[("topic", "\u{2714} t")]).ok();
    let message = read(&user, id);
    assert_eq!(message.get("last_moved_timestamp"), None);
    assert_eq!(message["edit_history"][0]["topic"], "\u{2714} t");
}

#[test]
fn a_move_obeys_the_topics_policy_and_the_permission_for_new_topics() {
    let user = server().user("member");
    let channel = fixture::channel(server(), ChannelKind::Public, &[&user]);
    let id = to_channel(&user, &channel, "t", "x");
    to_channel(&user, &channel, "there", "x");
    let create = "can_create_topic_group";
    fixture::channel_permission(server(), &channel, create, "role:administrators");
    patch(&user, id, &[("topic", "new")]).bad_request();
    patch(&user, id, &[("topic", "THERE")]).ok();
    patch(&user, id, &[("topic", "\u{2714} THERE")]).ok();
    fixture::channel_permission(server(), &channel, create, "role:everyone");
    fixture::channel_column(server(), &channel, "topics_policy", &"disable_empty_topic");
    patch(&user, id, &[("topic", "")]).bad_request();
    fixture::channel_column(server(), &channel, "topics_policy", &"empty_topic_only");
    patch(&user, id, &[("topic", "u")]).bad_request();
    patch(&user, id, &[("topic", "")]).ok();
}

#[test]
fn a_move_between_channels_needs_permissions_in_both() {
    let server = Server::start(Options::default());
    let user = server.user("member");
    let administrator = server.user("administrator");
    let from = fixture::channel(&server, ChannelKind::Public, &[&user, &administrator]);
    let target = fixture::channel(&server, ChannelKind::Public, &[]);
    let id = to_channel(&user, &from, "t", "x");
    let go = |user: &User, target: &Channel| patch(user, id, &[("stream_id", &target.id())]);
    let permission = "can_move_messages_between_channels_group";
    realm_permission(&server, permission, "role:administrators");
    go(&user, &target).bad_request();
    // Without the permission, the error reveals nothing about the target channel.
    patch(&user, id, &[("stream_id", "99999999")]).bad_request();
    let out = "can_move_messages_out_of_channel_group";
    fixture::channel_permission(&server, &from, out, "role:members");
    patch(&user, id, &[("stream_id", "99999999")]).error(400, "STREAM_DOES_NOT_EXIST");
    let hidden = fixture::channel(&server, ChannelKind::PrivateShared, &[]);
    go(&user, &hidden).error(400, "STREAM_DOES_NOT_EXIST");
    go(&administrator, &hidden).bad_request();
    let archived = fixture::channel(&server, ChannelKind::Public, &[]);
    fixture::channel_column(&server, &archived, "is_archived", &true);
    go(&user, &archived).bad_request();
    let closed = fixture::channel(&server, ChannelKind::Public, &[]);
    fixture::channel_permission(
        &server,
        &closed,
        "can_send_message_group",
        "role:moderators",
    );
    go(&user, &closed).bad_request();
    let fixed = fixture::channel(&server, ChannelKind::Public, &[]);
    fixture::channel_permission(&server, &fixed, "can_create_topic_group", "role:moderators");
    go(&user, &fixed).bad_request();
    let bare = fixture::channel(&server, ChannelKind::Public, &[]);
    fixture::channel_column(&server, &bare, "topics_policy", &"empty_topic_only");
    go(&user, &bare).bad_request();
    assert_eq!(place(&user, id), Some((from.stream_id, "t".to_owned())));
    go(&user, &target).ok();
    assert_eq!(place(&user, id), Some((target.stream_id, "t".to_owned())));
    // A move that changes channel and topic needs both permissions.
    realm_permission(
        &server,
        "can_move_messages_between_topics_group",
        "role:nobody",
    );
    fixture::channel_permission(&server, &target, out, "role:members");
    let stream = from.id();
    patch(&user, id, &[("stream_id", &stream), ("topic", "u")]).bad_request();
    patch(&user, id, &[("stream_id", &stream)]).ok();
}

#[test]
fn messages_beyond_the_time_limit_are_not_moved() {
    let server = Server::start(Options::default());
    let user = server.user("member");
    let moderator = server.user("moderator");
    let from = fixture::channel(&server, ChannelKind::Public, &[&user, &moderator]);
    let target = fixture::channel(&server, ChannelKind::Public, &[&user]).id();
    setting(
        &server,
        "move_messages_within_stream_limit_seconds",
        json!(1000),
    );
    setting(
        &server,
        "move_messages_between_streams_limit_seconds",
        json!(500),
    );
    let ids = send(&user, &from, "t", 3);
    age(&server, ids[0], 2000);
    age(&server, ids[1], 700);
    let topic = [("topic", "u")];
    patch(&user, ids[0], &topic).bad_request();
    patch(&user, ids[1], &[("stream_id", &target)]).bad_request();
    let exceeded = |id: i64, pairs: &[(&str, &str)]| {
        let body = patch(&user, id, pairs).error(400, "MOVE_MESSAGES_TIME_LIMIT_EXCEEDED");
        [
            "first_message_id_allowed_to_move",
            "total_messages_in_topic",
            "total_messages_allowed_to_move",
        ]
        .map(|name| body[name].as_i64().expect("a number"))
    };
    let all = ("propagate_mode", "change_all");
    assert_eq!(exceeded(ids[2], &[("topic", "u"), all]), [ids[1], 3, 2]);
    let both = [("topic", "u"), ("stream_id", target.as_str()), all];
    assert_eq!(exceeded(ids[2], &both), [ids[2], 3, 1]);
    // Resolving has no time limit, and moderators have none.
    patch(&user, ids[0], &[("topic", "\u{2714} t"), all]).ok();
    patch(&user, ids[0], &[("topic", "t"), all]).ok();
    patch(
        &user,
        ids[1],
        &[("topic", "t2"), ("propagate_mode", "change_later")],
    )
    .ok();
    patch(&moderator, ids[0], &both).ok();
    setting(
        &server,
        "move_messages_within_stream_limit_seconds",
        Value::Null,
    );
    let old = age(&server, to_channel(&user, &from, "o", "x"), 10_000_000);
    patch(&user, old, &topic).ok();
}

#[test]
fn both_channels_receive_the_move_and_new_readers_have_it_as_read() {
    let mover = server().user("member");
    let left = server().user("member");
    let right = server().user("member");
    let from = fixture::channel(server(), ChannelKind::Public, &[&mover, &left]);
    let target = fixture::channel(server(), ChannelKind::Public, &[&mover, &right]);
    let id = to_channel(&mover, &from, "t", "x");
    let mut queues = [&left, &right].map(listen);
    patch(&mover, id, &[("stream_id", &target.id())]).ok();
    let expected = json!({"message_id": id, "message_ids": [id], "stream_id": from.stream_id,
        "propagate_mode": "change_one", "orig_subject": "t", "subject": null,
        "new_stream_id": target.stream_id});
    let received = heard(&mut queues[1], "update_message");
    assert_eq!(
        received.iter().map(moved).collect::<Vec<_>>(),
        std::slice::from_ref(&expected)
    );
    assert_eq!(received[0]["flags"], json!(["read", "historical"]));
    assert_eq!(received[0]["stream_name"], from.name.as_str());
    let mut events = crate::support::settle(&mut queues[0]);
    events.retain(|event| event["type"] != "stream");
    assert_eq!(events.len(), 2, "{events:?}");
    assert_eq!(moved(&events[0]), expected);
    assert_eq!(events[1]["type"], "update_message_flags");
    assert_eq!(events[1]["flag"], "read");
    assert_eq!(events[1]["messages"], json!([id]));
    assert_eq!(flags(&left, id), ["read"]);
    assert_eq!(flags(&right, id), ["historical", "read"]);
    let message = read(&mover, id);
    assert_eq!(message["recipient_id"], target.recipient_id);
    assert_eq!(message["display_recipient"], target.name.as_str());
    assert_eq!(message["edit_history"][0]["prev_stream"], from.stream_id);
    assert_eq!(message["edit_history"][0]["stream"], target.stream_id);
    assert_eq!(message["edit_history"][0].get("topic"), None);
}

#[test]
fn users_who_lose_access_receive_a_deletion() {
    let mover = server().user("member");
    let left = server().user("member");
    let right = server().user("member");
    let guest = server().user("guest");
    let from = fixture::channel(server(), ChannelKind::Public, &[&mover, &left, &guest]);
    let private = fixture::channel(
        server(),
        ChannelKind::PrivateShared,
        &[&mover, &right, &guest],
    );
    let ids = send(&mover, &from, "t", 2);
    let mut queues = [&left, &right, &guest].map(listen);
    let stream = private.id();
    let pairs = [
        ("stream_id", stream.as_str()),
        ("propagate_mode", "change_all"),
    ];
    patch(&mover, ids[0], &pairs).ok();
    assert_eq!(place(&left, ids[0]), None);
    for user in [&right, &guest] {
        assert_eq!(place(user, ids[1]).expect("read").0, private.stream_id);
    }
    let received = heard(&mut queues[0], "delete_message");
    assert_eq!(
        received,
        [
            json!({"type": "delete_message", "message_ids": ids, "message_type": "stream",
            "stream_id": from.stream_id, "topic": "t"})
        ]
    );
    for queue in &mut queues[1..] {
        let mut events = crate::support::settle(queue);
        events.retain(|event| event["type"] != "stream");
        assert_eq!(events.len(), 1, "{events:?}");
        assert_eq!(events[0]["type"], "update_message");
    }
    let rows: i64 = server()
        .database()
        .query_row(
            "SELECT count(*) FROM user_messages WHERE user_id = ?1 AND message_id IN (?2, ?3)",
            [left.user_id, ids[0], ids[1]],
            |row| row.get(0),
        )
        .expect("count");
    assert_eq!(rows, 0);
}

/// A move into a channel with protected history delivers the messages to its subscribers. A move
/// out of one moves only the messages that the mover can read, and each recipient's event lists
/// only messages that they can read.
#[test]
fn moves_into_and_out_of_channels_with_protected_history() {
    let mover = server().user("member");
    let early = server().user("member");
    let member = server().user("member");
    let public = fixture::channel(server(), ChannelKind::Public, &[&mover]);
    let protected = fixture::channel(server(), ChannelKind::PrivateProtected, &[&early]);
    let before = to_channel(&early, &protected, "t", "before");
    fixture::subscribe(server(), &mover, &protected);
    let after = to_channel(&early, &protected, "t", "after");
    let brought = to_channel(&mover, &public, "t", "brought");
    patch(&mover, brought, &[("stream_id", &protected.id())]).ok();
    assert_eq!(flags(&early, brought), ["historical", "read"]);
    assert_eq!(place(&member, brought), None);
    let mut queues = [&mover, &early].map(listen);
    let pairs = [("topic", "u"), ("propagate_mode", "change_all")];
    patch(&mover, after, &pairs).ok();
    assert_eq!(place(&early, before).expect("read").1, "t");
    for id in [after, brought] {
        assert_eq!(place(&early, id).expect("read").1, "u");
    }
    for queue in &mut queues {
        let received = heard(queue, "update_message");
        assert_eq!(received.len(), 1);
        assert_eq!(received[0]["message_ids"], json!([after, brought]));
    }
    // The early member moves all messages; the mover's event lists the ones that were delivered to
    // them.
    patch(&early, after, &[("topic", "t")]).ok();
    patch(
        &early,
        after,
        &[("topic", "v"), ("propagate_mode", "change_all")],
    )
    .ok();
    let received = heard(&mut queues[0], "update_message");
    assert_eq!(received[1]["message_ids"], json!([after]));
    let received = heard(&mut queues[1], "update_message");
    assert_eq!(received[1]["message_ids"], json!([before, after]));
    // Into a public channel: everybody can read the messages that were hidden from them.
    fixture::subscribe(server(), &early, &public);
    let stream = public.id();
    let pairs = [
        ("stream_id", stream.as_str()),
        ("propagate_mode", "change_all"),
    ];
    patch(&early, after, &pairs).ok();
    assert_eq!(place(&member, before).expect("read").0, public.stream_id);
    let received = heard(&mut queues[0], "update_message");
    assert_eq!(received[0]["message_ids"], json!([before, after]));
}

#[test]
fn a_move_updates_first_message_id_of_both_channels() {
    let user = server().user("member");
    let from = fixture::channel(server(), ChannelKind::Public, &[&user]);
    let target = fixture::channel(server(), ChannelKind::Public, &[&user]);
    let ids = send(&user, &from, "t", 2);
    let mut queue = listen(&user);
    patch(&user, ids[0], &[("stream_id", &target.id())]).ok();
    let received: Vec<(i64, Value)> = heard(&mut queue, "stream")
        .iter()
        .filter(|event| event["property"] == "first_message_id")
        .filter(|event| {
            [&from, &target]
                .iter()
                .any(|one| event["stream_id"] == one.stream_id)
        })
        .map(|event| {
            let id = event["stream_id"].as_i64().expect("an id");
            (id, event["value"].clone())
        })
        .collect();
    assert_eq!(
        received,
        [
            (from.stream_id, json!(ids[1])),
            (target.stream_id, json!(ids[0]))
        ]
    );
}

fn follow(user: &User, channel: &Channel, topic: &str, policy: &str) {
    let stream = channel.id();
    let pairs = [
        ("stream_id", stream.as_str()),
        ("topic", topic),
        ("visibility_policy", policy),
    ];
    user.post("/user_topics", &pairs).ok();
}

fn policies(user: &User) -> Vec<(String, i64)> {
    let pairs = [
        ("fetch_event_types", r#"["user_topic"]"#),
        ("event_types", "[]"),
    ];
    let state = user.post("/register", &pairs).ok();
    let list = state["user_topics"].as_array().expect("user_topics");
    list.iter()
        .map(|topic| {
            let name = topic["topic_name"].as_str().expect("a name").to_owned();
            (name, topic["visibility_policy"].as_i64().expect("a policy"))
        })
        .collect()
}

#[test]
fn topic_policies_move_with_the_whole_topic() {
    let mover = server().user("member");
    let reader = server().user("member");
    let channel = fixture::channel(server(), ChannelKind::Public, &[&mover, &reader]);
    let ids = send(&mover, &channel, "t", 2);
    follow(&reader, &channel, "t", "3");
    let mut queue = listen(&reader);
    patch(&mover, ids[0], &[("topic", "part")]).ok();
    assert_eq!(policies(&reader), [("t".to_owned(), 3)]);
    patch(&mover, ids[1], &[("topic", "u")]).ok();
    assert_eq!(policies(&reader), [("u".to_owned(), 3)]);
    let received: Vec<(Value, Value)> = heard(&mut queue, "user_topic")
        .into_iter()
        .map(|event| {
            (
                event["topic_name"].clone(),
                event["visibility_policy"].clone(),
            )
        })
        .collect();
    assert_eq!(received, [(json!("t"), json!(0)), (json!("u"), json!(3))]);
    // In a topic that has messages already, the stronger policy wins, and muted is the weakest.
    to_channel(&mover, &channel, "there", "x");
    follow(&reader, &channel, "u", "1");
    patch(&mover, ids[1], &[("topic", "there")]).ok();
    assert_eq!(policies(&reader), []);
    follow(&reader, &channel, "there", "2");
    let id = to_channel(&mover, &channel, "muted", "x");
    follow(&reader, &channel, "muted", "1");
    patch(&mover, id, &[("topic", "there")]).ok();
    assert_eq!(policies(&reader), [("there".to_owned(), 2)]);
}

#[test]
fn topic_policies_do_not_move_to_channels_that_the_user_cannot_read() {
    let mover = server().user("member");
    let reader = server().user("member");
    let from = fixture::channel(server(), ChannelKind::Public, &[&mover, &reader]);
    let private = fixture::channel(server(), ChannelKind::PrivateShared, &[&mover]);
    let id = to_channel(&mover, &from, "t", "x");
    follow(&reader, &from, "t", "3");
    patch(&mover, id, &[("stream_id", &private.id())]).ok();
    assert_eq!(policies(&reader), []);
}
