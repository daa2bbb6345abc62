//! POST /messages: topics that are followed or unmuted automatically
//! (docs/protocol/settings.md#user-settings, docs/protocol/events.md#user_topic,
//! docs/protocol/messages.md#send_message, `automatic_new_visibility_policy`).

use serde_json::{Value, json};
use spindle_tests::fixture::{self, Channel, ChannelKind};
use spindle_tests::{Queue, User};

use crate::support::{server, settle};

const TYPES: [&str; 3] = ["message", "user_status", "user_topic"];
const FOLLOW: &str = "automatically_follow_topics_policy";
const UNMUTE: &str = "automatically_unmute_topics_in_muted_streams_policy";
const MENTIONED: &str = "automatically_follow_topics_where_mentioned";

fn send(user: &User, channel: &Channel, topic: &str, content: &str) -> Value {
    let to = channel.id();
    let pairs = [
        ("type", "stream"),
        ("to", to.as_str()),
        ("topic", topic),
        ("content", content),
    ];
    user.post("/messages", &pairs).ok()
}

/// The policy in the sender's answer; null for none.
fn policy(user: &User, channel: &Channel, topic: &str) -> Value {
    send(user, channel, topic, "x")["automatic_new_visibility_policy"].clone()
}

fn set(user: &User, name: &str, value: &str) {
    user.patch("/settings", &[(name, value)]).ok();
}

fn mute_channel(user: &User, channel: &Channel) {
    let data = json!([{"stream_id": channel.stream_id, "property": "is_muted", "value": true}]);
    let pairs = [("subscription_data", data.to_string())];
    let pairs = pairs
        .each_ref()
        .map(|(name, value)| (*name, value.as_str()));
    user.post("/users/me/subscriptions/properties", &pairs).ok();
}

fn topic_events(queue: &mut Queue) -> Vec<Value> {
    let mut events = settle(queue);
    events.retain(|event| event["type"] == "user_topic");
    events
}

#[test]
fn starting_a_topic_follows_it_unless_the_setting_is_off() {
    let (user, other) = (server().user("member"), server().user("member"));
    let channel = fixture::channel(server(), ChannelKind::Public, &[&user, &other]);
    let mut queue = Queue::of(&user, &TYPES);
    assert_eq!(policy(&user, &channel, "mine"), 3);
    let events = settle(&mut queue);
    let kinds: Vec<&Value> = events.iter().map(|event| &event["type"]).collect();
    assert_eq!(kinds, ["user_topic", "message"]);
    assert_eq!(events[0]["stream_id"], channel.stream_id);
    assert_eq!(events[0]["topic_name"], "mine");
    assert_eq!(events[0]["visibility_policy"], 3);
    // It is followed already; the other user has not started it.
    assert_eq!(policy(&user, &channel, "MINE"), Value::Null);
    assert_eq!(policy(&other, &channel, "mine"), Value::Null);
    assert!(topic_events(&mut queue).is_empty());
    set(&user, FOLLOW, "4");
    assert_eq!(policy(&user, &channel, "another"), Value::Null);
    assert!(topic_events(&mut queue).is_empty());
}

#[test]
fn sending_and_taking_part_follow_the_topic_by_setting() {
    let other = server().user("member");
    for setting in ["1", "2"] {
        let user = server().user("member");
        let channel = fixture::channel(server(), ChannelKind::Public, &[&user, &other]);
        set(&user, FOLLOW, setting);
        send(&other, &channel, "theirs", "x");
        assert_eq!(policy(&user, &channel, "theirs"), 3, "{setting}");
        assert_eq!(policy(&user, &channel, "theirs"), Value::Null);
    }
}

#[test]
fn taking_part_unmutes_topics_of_muted_channels() {
    let (user, other) = (server().user("member"), server().user("member"));
    let channel = fixture::channel(server(), ChannelKind::Public, &[&user, &other]);
    set(&user, FOLLOW, "4");
    send(&other, &channel, "theirs", "x");
    assert_eq!(policy(&user, &channel, "theirs"), Value::Null, "not muted");
    mute_channel(&user, &channel);
    assert_eq!(policy(&user, &channel, "theirs"), 2);
    assert_eq!(policy(&user, &channel, "theirs"), Value::Null);
    set(&user, UNMUTE, "3");
    send(&other, &channel, "second", "x");
    assert_eq!(policy(&user, &channel, "second"), Value::Null);
    assert_eq!(policy(&user, &channel, "own"), 2);
    set(&user, UNMUTE, "4");
    assert_eq!(policy(&user, &channel, "own too"), Value::Null);
    // Following is stronger than unmuting.
    set(&user, UNMUTE, "1");
    set(&user, FOLLOW, "2");
    assert_eq!(policy(&user, &channel, "second"), 3);
}

#[test]
fn automatic_policies_never_weaken_a_policy() {
    let user = server().user("member");
    let channel = fixture::channel(server(), ChannelKind::Public, &[&user]);
    mute_channel(&user, &channel);
    set(&user, FOLLOW, "4");
    let id = channel.id();
    for (before, after) in [("3", Value::Null), ("2", Value::Null), ("1", json!(2))] {
        let topic = format!("topic {before}");
        let pairs = [
            ("stream_id", id.as_str()),
            ("topic", topic.as_str()),
            ("visibility_policy", before),
        ];
        user.post("/user_topics", &pairs).ok();
        assert_eq!(policy(&user, &channel, &topic), after, "{before}");
    }
}

#[test]
fn mentioned_users_follow_the_topic() {
    let (user, named) = (server().user("member"), server().user("member"));
    let (unwilling, outsider) = (server().user("member"), server().user("guest"));
    let bystander = server().user("member");
    let channel = fixture::channel(
        server(),
        ChannelKind::Public,
        &[&user, &named, &unwilling, &bystander],
    );
    set(&unwilling, MENTIONED, "false");
    let mention = |users: &[&User]| {
        let names: Vec<String> = users
            .iter()
            .map(|user| format!("@**|{}**", user.id()))
            .collect();
        names.join(" ")
    };
    let mut queues =
        [&named, &unwilling, &outsider, &bystander].map(|user| Queue::of(user, &TYPES));
    send(
        &user,
        &channel,
        "t",
        &mention(&[&named, &unwilling, &outsider]),
    );
    let counts = queues.each_mut().map(|queue| topic_events(queue).len());
    assert_eq!(counts, [1, 0, 0, 0]);
    // Neither groups and wildcards nor silent mentions have this effect.
    let silent = format!("@**all** @_**|{}** @_*role:members*", named.id());
    send(&user, &channel, "other", &silent);
    assert!(topic_events(&mut queues[0]).is_empty());
    // So does a mention of a user who can read the channel without being subscribed.
    let open = fixture::channel(server(), ChannelKind::Public, &[&user]);
    send(&user, &open, "t", &mention(&[&named]));
    assert_eq!(topic_events(&mut queues[0]).len(), 1);
}

/// Bots follow no topics, and direct messages have none.
#[test]
fn bots_follow_no_topics() {
    let (bot, user) = (server().bot(), server().user("member"));
    let channel = fixture::channel(server(), ChannelKind::Public, &[&bot, &user]);
    assert_eq!(policy(&bot, &channel, "beep"), Value::Null);
    let mut queue = Queue::of(&bot, &TYPES);
    send(&user, &channel, "t", &format!("@**|{}**", bot.id()));
    assert!(topic_events(&mut queue).is_empty());
    let to = format!("[{}]", user.id());
    let pairs = [("type", "direct"), ("to", to.as_str()), ("content", "x")];
    let body = user.post("/messages", &pairs).ok();
    assert!(body.get("automatic_new_visibility_policy").is_none());
}
