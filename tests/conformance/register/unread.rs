//! The section `unread_msgs` (docs/protocol/register.md#unread_msgs): which messages are counted in
//! which group.

use serde_json::{Value, json};
use spindle_tests::User;
use spindle_tests::fixture::{self, Channel, ChannelKind};

use crate::support::server;

fn unread(user: &User, capabilities: &str) -> Value {
    let types = "[\"message\", \"update_message_flags\"]";
    let pairs = [
        ("fetch_event_types", types),
        ("event_types", "[]"),
        ("client_capabilities", capabilities),
    ];
    user.post("/register", &pairs).ok()["unread_msgs"].clone()
}

fn send(sender: &User, kind: &str, to: &str, topic: &str, content: &str) -> i64 {
    let pairs = [
        ("type", kind),
        ("to", to),
        ("topic", topic),
        ("content", content),
    ];
    sender.post("/messages", &pairs).ok()["id"]
        .as_i64()
        .unwrap()
}

fn set(user: &User, channel: &Channel, topic: &str, policy: &str) {
    let id = channel.id();
    let pairs = [
        ("stream_id", id.as_str()),
        ("topic", topic),
        ("visibility_policy", policy),
    ];
    user.post("/user_topics", &pairs).ok();
}

fn mute_channel(user: &User, channel: &Channel) {
    let data = json!([{"stream_id": channel.stream_id, "property": "is_muted", "value": true}]);
    let pairs = [("subscription_data", data.to_string())];
    let pairs = pairs
        .each_ref()
        .map(|(name, value)| (*name, value.as_str()));
    user.post("/users/me/subscriptions/properties", &pairs).ok();
}

#[test]
fn muted_topics_and_channels_are_listed_but_not_counted() {
    let (user, other) = (fixture::hermit(server(), "member"), server().user("member"));
    let open = fixture::channel(server(), ChannelKind::Public, &[&user, &other]);
    let muted = fixture::channel(server(), ChannelKind::Public, &[&user, &other]);
    // A mention would make the mentioned user follow the topic.
    user.patch(
        "/settings",
        &[("automatically_follow_topics_where_mentioned", "false")],
    )
    .ok();
    mute_channel(&user, &muted);
    set(&user, &open, "noise", "1");
    set(&user, &muted, "unmuted", "2");
    set(&user, &muted, "Followed", "3");
    let all = "@**all** x";
    let mention = format!("@**{}|{}** x", user.full_name, user.user_id);
    let ids = [
        (&open, "plain", all),
        (&open, "noise", all),
        (&open, "noise", mention.as_str()),
        (&muted, "plain", all),
        (&muted, "plain", mention.as_str()),
        (&muted, "unmuted", all),
        (&muted, "followed", "x"),
    ]
    .map(|(channel, topic, content)| send(&other, "channel", &channel.id(), topic, content));
    let found = unread(&user, "{}");
    let topic = |channel: &Channel, topic: &str, ids: &[i64]| json!({"stream_id": channel.stream_id, "topic": topic, "unread_message_ids": ids});
    assert_eq!(
        found["streams"],
        json!([
            topic(&open, "noise", &ids[1..3]),
            topic(&open, "plain", &ids[..1]),
            topic(&muted, "followed", &ids[6..]),
            topic(&muted, "plain", &ids[3..5]),
            topic(&muted, "unmuted", &ids[5..6]),
        ])
    );
    // The plain topic, the unmuted one and the followed one.
    assert_eq!(found["count"], 3);
    // Mentions by name count everywhere; wildcard mentions only where the topic is not muted.
    assert_eq!(found["mentions"], json!([ids[0], ids[2], ids[4], ids[5]]));
    assert_eq!(found["old_unreads_missing"], false);
    set(&user, &open, "noise", "0");
    assert_eq!(unread(&user, "{}")["count"], 5);
}

#[test]
fn direct_messages_are_grouped_by_participants() {
    let (user, other, third) = (
        fixture::hermit(server(), "member"),
        server().user("member"),
        server().user("member"),
    );
    let own = send(&user, "direct", &format!("[{}]", user.id()), "", "x");
    let pair = send(&other, "direct", &format!("[{}]", user.id()), "", "x");
    let group = send(
        &third,
        "direct",
        &format!("[{}, {}]", user.id(), other.id()),
        "",
        "x",
    );
    let found = unread(&user, "{}");
    let mut expected = [(user.user_id, own), (other.user_id, pair)];
    expected.sort_unstable();
    let expected = expected.map(|(person, id)| {
        json!({"other_user_id": person, "sender_id": person, "unread_message_ids": [id]})
    });
    assert_eq!(found["pms"], json!(expected));
    let mut people = [user.user_id, other.user_id, third.user_id];
    people.sort_unstable();
    let key = people.map(|id| id.to_string()).join(",");
    assert_eq!(
        found["huddles"],
        json!([{"user_ids_string": key, "unread_message_ids": [group]}])
    );
    assert_eq!(found["count"], 3);
}

#[test]
fn the_empty_topic_has_its_name_for_clients_that_need_one() {
    let (user, other) = (server().user("member"), server().user("member"));
    let channel = fixture::channel(server(), ChannelKind::Public, &[&user, &other]);
    send(&other, "channel", &channel.id(), "", "x");
    for (capabilities, name) in [("{}", "general chat"), ("{\"empty_topic_name\": true}", "")] {
        assert_eq!(unread(&user, capabilities)["streams"][0]["topic"], name);
    }
}

/// Stars in a private channel go from the list when its reader leaves it, and come back with them.
#[test]
fn stars_of_channels_that_were_left_are_not_listed() {
    let (user, other) = (server().user("member"), server().user("member"));
    let left = fixture::channel(server(), ChannelKind::PrivateProtected, &[&user, &other]);
    let open = fixture::channel(server(), ChannelKind::Public, &[&user, &other]);
    let [hidden, shown] = [&left, &open].map(|to| send(&other, "channel", &to.id(), "t", "x"));
    let messages = json!([hidden, shown]).to_string();
    let pairs = [
        ("messages", messages.as_str()),
        ("op", "add"),
        ("flag", "starred"),
    ];
    user.post("/messages/flags", &pairs).ok();
    let starred = || {
        let pairs = [
            ("fetch_event_types", "[\"starred_messages\"]"),
            ("event_types", "[]"),
        ];
        user.post("/register", &pairs).ok()["starred_messages"].clone()
    };
    assert_eq!(starred(), json!([hidden, shown]));
    fixture::unsubscribe(server(), &user, &left);
    fixture::unsubscribe(server(), &user, &open);
    assert_eq!(starred(), json!([shown]));
}
