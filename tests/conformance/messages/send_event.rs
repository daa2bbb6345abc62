//! POST /messages: the event, its recipients, and how each queue presents it
//! (docs/protocol/events.md#delivery, docs/protocol/messages.md#message-object,
//! docs/protocol/traps.md#private, docs/protocol/traps.md#local-echo,
//! docs/protocol/clients.md#zulip_bots).

use serde_json::{Value, json};
use spindle_tests::fixture::{self, ChannelKind};
use spindle_tests::{Queue, User, unix_now};

use super::{DIRECT, direct, read, to_channel};
use crate::support::{keys, messages_from, server, settle};

const TYPES: [&str; 2] = ["message", "user_status"];

fn queue_with(user: &User, extra: &[(&str, &str)]) -> Queue {
    let mut pairs = vec![
        ("event_types", "[\"message\", \"user_status\"]"),
        ("fetch_event_types", "[]"),
        ("client_capabilities", "{\"empty_topic_name\": true}"),
    ];
    pairs.extend(extra);
    Queue::open(user, &pairs)
}

#[test]
fn the_event_of_a_channel_message() {
    let sender = server().user("member");
    let reader = server().user("member");
    let channel = fixture::channel(server(), ChannelKind::Public, &[&sender, &reader]);
    let mut queue = Queue::of(&reader, &TYPES);
    let id = to_channel(&sender, &channel, "greetings", "hello *there*");
    let event = queue.expect(|event| event["message"]["id"] == id);
    assert_eq!(keys(&event), ["flags", "id", "message", "type"]);
    assert_eq!(event["flags"], json!([]));
    let message = &event["message"];
    let mut expected = DIRECT.to_vec();
    expected.push("stream_id");
    expected.sort_unstable();
    assert_eq!(keys(message), expected);
    assert_eq!(message["type"], "stream");
    assert_eq!(message["display_recipient"], channel.name.as_str());
    assert_eq!(message["stream_id"], channel.stream_id);
    assert_eq!(message["recipient_id"], channel.recipient_id);
    assert_eq!(message["subject"], "greetings");
    assert_eq!(message["sender_id"], sender.user_id);
    assert_eq!(message["sender_email"], sender.email.as_str());
    assert_eq!(message["sender_full_name"], sender.full_name.as_str());
    assert_eq!(message["client"], "SpindleTests");
    assert_eq!(
        message["content"], "hello *there*",
        "raw is the default of register"
    );
    assert_eq!(message["content_type"], "text/x-markdown");
    assert_eq!(message["is_me_message"], false);
    assert_eq!(message["reactions"], json!([]));
    assert_eq!(message["submessages"], json!([]));
    assert_eq!(message["topic_links"], json!([]));
    assert!((message["timestamp"].as_i64().unwrap() - unix_now()).abs() < 5);
}

#[test]
fn the_event_of_a_direct_message() {
    let sender = server().user("member");
    let reader = server().user("guest");
    let mut queues = [Queue::of(&sender, &TYPES), Queue::of(&reader, &TYPES)];
    let id = direct(&sender, &[&reader], "psst");
    let mut recipient_ids = Vec::new();
    for queue in &mut queues {
        let event = queue.expect(|event| event["message"]["id"] == id);
        let message = event["message"].clone();
        assert_eq!(keys(&message), DIRECT);
        assert_eq!(message["type"], "private");
        assert_eq!(message["subject"], "");
        let people = message["display_recipient"].as_array().unwrap();
        let mut ids: Vec<i64> = people
            .iter()
            .map(|person| person["id"].as_i64().unwrap())
            .collect();
        ids.sort_unstable();
        let mut expected = [sender.user_id, reader.user_id];
        expected.sort_unstable();
        assert_eq!(ids, expected);
        for person in people {
            assert_eq!(
                keys(person),
                ["email", "full_name", "id", "is_mirror_dummy"]
            );
        }
        recipient_ids.push(message["recipient_id"].clone());
    }
    assert_eq!(
        recipient_ids[0], recipient_ids[1],
        "both sides see the same conversation"
    );
    let again = direct(&reader, &[&sender], "back");
    assert_eq!(read(&sender, again)["recipient_id"], recipient_ids[0]);
}

#[test]
fn only_recipients_receive_the_event() {
    let sender = server().user("member");
    let reader = server().user("member");
    let stranger = server().user("member");
    let owner = server().user("owner");
    let private = fixture::channel(server(), ChannelKind::PrivateShared, &[&sender, &reader]);
    let public = fixture::channel(server(), ChannelKind::Public, &[&sender, &reader]);
    let mut strangers = [
        Queue::of(&stranger, &TYPES),
        Queue::of(&owner, &TYPES),
        queue_with(&owner, &[("narrow", "[[\"is\", \"dm\"]]")]),
    ];
    let mut listener = queue_with(&stranger, &[("all_public_streams", "true")]);
    let mut inside = Queue::of(&reader, &TYPES);
    let first = direct(&sender, &[&reader], "secret");
    let second = to_channel(&sender, &private, "t", "secret");
    let third = to_channel(&sender, &public, "t", "open");
    for queue in &mut strangers {
        let events = settle(queue);
        assert_eq!(messages_from(&events, &sender), Vec::<Value>::new());
    }
    let ids = |events: &[Value]| -> Vec<i64> {
        events
            .iter()
            .map(|event| event["message"]["id"].as_i64().unwrap())
            .collect()
    };
    let events = messages_from(&settle(&mut listener), &sender);
    assert_eq!(ids(&events), [third], "all public channels, and only them");
    assert_eq!(events[0]["flags"], json!([]));
    let events = messages_from(&settle(&mut inside), &sender);
    assert_eq!(ids(&events), [first, second, third]);
}

#[test]
fn rendering_is_chosen_by_the_queue() {
    let user = server().user("member");
    let mut rendered = queue_with(&user, &[("apply_markdown", "true")]);
    let mut raw = queue_with(&user, &[("apply_markdown", "false")]);
    let id = direct(&user, &[&user], "**bold** <script>");
    let event = rendered.expect(|event| event["message"]["id"] == id);
    assert_eq!(event["message"]["content_type"], "text/html");
    let content = event["message"]["content"].as_str().unwrap();
    assert_eq!(content, "<p><strong>bold</strong> &lt;script&gt;</p>");
    let event = raw.expect(|event| event["message"]["id"] == id);
    assert_eq!(event["message"]["content_type"], "text/x-markdown");
    assert_eq!(event["message"]["content"], "**bold** <script>");
}

#[test]
fn mentions_set_the_flag_of_the_mentioned() {
    let sender = server().user("member");
    let named = server().user("member");
    let other = server().user("member");
    let channel = fixture::channel(server(), ChannelKind::Public, &[&sender, &named, &other]);
    let mut named_queue = Queue::of(&named, &TYPES);
    let mut other_queue = Queue::of(&other, &TYPES);
    let texts = [
        format!("@**{}** look", named.full_name),
        format!("@**{}|{}** look", named.full_name, named.id()),
        format!("@**|{}** look", named.id()),
    ];
    for text in &texts {
        let id = to_channel(&sender, &channel, "t", text);
        let event = named_queue.expect(|event| event["message"]["id"] == id);
        assert_eq!(event["flags"], json!(["mentioned"]), "{text}");
        let event = other_queue.expect(|event| event["message"]["id"] == id);
        assert_eq!(event["flags"], json!([]));
        assert!(
            read(&named, id)["flags"]
                .as_array()
                .unwrap()
                .contains(&json!("mentioned"))
        );
    }
    for text in [
        format!("@_**{}** silent", named.full_name),
        format!("`@**{}**` in code", named.full_name),
        format!("> @**{}** quoted", named.full_name),
    ] {
        let id = to_channel(&sender, &channel, "t", &text);
        let event = named_queue.expect(|event| event["message"]["id"] == id);
        assert_eq!(event["flags"], json!([]), "{text}");
    }
}

/// A mention gives no access to a private channel.
#[test]
fn a_mention_without_access_sends_no_event() {
    let sender = server().user("member");
    let outsider = server().user("member");
    let private = fixture::channel(server(), ChannelKind::PrivateShared, &[&sender]);
    let mut queue = Queue::of(&outsider, &TYPES);
    let id = to_channel(
        &sender,
        &private,
        "t",
        &format!("@**{}**", outsider.full_name),
    );
    assert!(messages_from(&settle(&mut queue), &sender).is_empty());
    outsider.get(&format!("/messages/{id}"), &[]).bad_request();
}

#[test]
fn wildcards_mention_every_subscriber() {
    let sender = server().user("member");
    let reader = server().user("member");
    let channel = fixture::channel(server(), ChannelKind::Public, &[&sender, &reader]);
    let mut queue = Queue::of(&reader, &TYPES);
    let id = to_channel(&sender, &channel, "t", "@**all** hear");
    let event = queue.expect(|event| event["message"]["id"] == id);
    let mut flags: Vec<&str> = event["flags"]
        .as_array()
        .unwrap()
        .iter()
        .map(|flag| flag.as_str().unwrap())
        .collect();
    flags.sort_unstable();
    assert_eq!(flags, ["stream_wildcard_mentioned", "wildcard_mentioned"]);
}

#[test]
fn the_sender_finds_its_local_id_in_its_queue_only() {
    let user = server().user("member");
    let mut named = queue_with(&user, &[]);
    let mut other = queue_with(&user, &[]);
    let to = format!("[{}]", user.id());
    let pairs = [
        ("type", "direct"),
        ("to", to.as_str()),
        ("content", "x"),
        ("local_id", "100.01"),
        ("queue_id", named.queue_id.as_str()),
    ];
    let reply = user.post("/messages", &pairs);
    assert!(reply.ignored().is_empty());
    let id = reply.ok()["id"].clone();
    let event = named.expect(|event| event["message"]["id"] == id);
    assert_eq!(event["local_message_id"], "100.01");
    let event = other.expect(|event| event["message"]["id"] == id);
    assert!(event.get("local_message_id").is_none());
}

/// A queue id of another user has no effect: otherwise the sender's text would be in that user's
/// events.
#[test]
fn a_local_id_reaches_no_queue_of_another_user() {
    let (user, other) = (server().user("member"), server().user("member"));
    let mut named = queue_with(&other, &[]);
    let to = format!("[{}]", other.id());
    let pairs = [
        ("type", "direct"),
        ("to", to.as_str()),
        ("content", "x"),
        ("local_id", "100.01"),
        ("queue_id", named.queue_id.as_str()),
    ];
    let id = user.post("/messages", &pairs).ok()["id"].clone();
    let event = named.expect(|event| event["message"]["id"] == id);
    assert!(event.get("local_message_id").is_none());
}

#[test]
fn the_narrow_of_a_queue_filters_messages_only() {
    let sender = server().user("member");
    let user = server().user("member");
    let channel = fixture::channel(server(), ChannelKind::Public, &[&sender, &user]);
    let narrow = json!([["channel", channel.name.to_uppercase()], ["topic", "Alpha"]]).to_string();
    let mut by_topic = queue_with(&user, &[("narrow", &narrow)]);
    let narrow = json!([["sender", sender.email]]).to_string();
    let mut by_sender = queue_with(&user, &[("narrow", &narrow)]);
    let mut by_kind = queue_with(&user, &[("narrow", "[[\"is\", \"dm\"]]")]);
    let alpha = to_channel(&sender, &channel, "alpha", "x");
    let beta = to_channel(&sender, &channel, "beta", "x");
    let private = direct(&sender, &[&user], "x");
    let own = direct(&user, &[&sender], "x");
    let ids = |queue: &mut Queue| -> Vec<i64> {
        let events = settle(queue);
        events
            .iter()
            .filter_map(|event| event["message"]["id"].as_i64())
            .collect()
    };
    assert_eq!(ids(&mut by_topic), [alpha]);
    assert_eq!(ids(&mut by_sender), [alpha, beta, private]);
    assert_eq!(ids(&mut by_kind), [private, own]);
}

#[test]
fn me_messages_are_flagged() {
    let user = server().user("member");
    let mut queue = Queue::of(&user, &TYPES);
    let id = direct(&user, &[&user], "/me waves");
    let event = queue.expect(|event| event["message"]["id"] == id);
    assert_eq!(event["message"]["is_me_message"], true);
}

/// Bots read the raw `content` and answer by these fields.
#[test]
fn a_bot_receives_the_fields_that_its_runner_reads() {
    let bot = server().bot();
    let user = server().user("member");
    let pairs = [("event_types", "[\"message\"]"), ("narrow", "[]")];
    let mut queue = Queue::open(&bot, &pairs);
    let id = direct(&user, &[&bot], "help");
    let event = queue.expect(|event| event["message"]["id"] == id);
    assert_eq!(event["message"]["content"], "help");
    assert_eq!(event["message"]["type"], "private");
    assert!(event["flags"].is_array());
    let emails: Vec<&Value> = event["message"]["display_recipient"]
        .as_array()
        .unwrap()
        .iter()
        .map(|person| &person["email"])
        .collect();
    assert!(emails.contains(&&json!(bot.email)) && emails.contains(&&json!(user.email)));
}
