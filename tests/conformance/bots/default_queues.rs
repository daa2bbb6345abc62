//! POST /register by a bot that has default settings (docs/protocol/events.md#delivery), and the
//! channel names in them.

use serde_json::{Value, json};
use spindle_tests::fixture::{self, ChannelKind};
use spindle_tests::{Queue, unique};

use super::bot_on;
use crate::support::{server, settle};

fn topics(queue: &mut Queue) -> Vec<String> {
    settle(queue)
        .iter()
        .filter(|event| event["type"] == "message")
        .map(|event| event["message"]["subject"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn absent_parameters_are_taken_from_the_defaults_of_the_bot() {
    let owner = server().user("member");
    let one = fixture::channel(server(), ChannelKind::Public, &[&owner]);
    let two = fixture::channel(server(), ChannelKind::Public, &[&owner]);
    let defaults = [
        ("default_events_register_stream", one.name.as_str()),
        ("default_all_public_streams", "true"),
    ];
    let bot = bot_on(server(), &owner, &defaults);
    let types = ("event_types", r#"["message", "user_status"]"#);
    let fetch = ("fetch_event_types", "[]");
    let open = |further: &[(&str, &str)]| {
        Queue::open(&bot.client, &[&[types, fetch][..], further].concat())
    };
    let narrow = json!([["channel", two.name]]).to_string();
    let mut by_default = open(&[("narrow", "[]")]);
    let mut own_narrow = open(&[("narrow", &narrow)]);
    let mut not_public = open(&[("all_public_streams", "false"), ("narrow", &narrow)]);
    for (channel, topic) in [(&one, "in one"), (&two, "in two")] {
        let pairs = [
            ("type", "channel"),
            ("to", &channel.id()),
            ("topic", topic),
            ("content", "x"),
        ];
        owner.post("/messages", &pairs).ok();
    }
    assert_eq!(topics(&mut by_default), ["in one"]);
    assert_eq!(topics(&mut own_narrow), ["in two"]);
    // A narrow alone asks for public channels as well.
    assert_eq!(topics(&mut not_public), ["in two"]);
    let plain = bot_on(server(), &owner, &[]);
    let mut nothing = Queue::open(&plain.client, &[types, fetch]);
    let pairs = [
        ("type", "channel"),
        ("to", &one.id()),
        ("topic", "y"),
        ("content", "x"),
    ];
    owner.post("/messages", &pairs).ok();
    assert_eq!(topics(&mut nothing), [""; 0]);
}

/// A default channel is shown by its current name; clients that receive the bot's record get an
/// event.
#[test]
fn default_channels_of_a_bot_follow_a_renamed_channel() {
    let (owner, admin) = (server().user("member"), server().user("administrator"));
    let channel = fixture::channel(server(), ChannelKind::Public, &[&owner]);
    let defaults = [("default_sending_stream", channel.name.as_str())];
    let bot = bot_on(server(), &owner, &defaults);
    let types = ["realm_bot", "user_status"];
    let (mut received, mut others) = (
        Queue::of(&owner, &types),
        Queue::of(&server().user("member"), &types),
    );
    let name = unique("renamed ");
    admin
        .patch(
            &format!("/streams/{}", channel.id()),
            &[("new_name", &name)],
        )
        .ok();
    let own = |events: Vec<Value>| -> Vec<Value> {
        let about = |event: &Value| event["bot"]["user_id"] == bot.id;
        events
            .into_iter()
            .filter(about)
            .map(|event| event["bot"].clone())
            .collect()
    };
    let expected = json!({"user_id": bot.id, "default_sending_stream": name});
    assert_eq!(own(settle(&mut received)), [expected]);
    assert!(own(settle(&mut others)).is_empty());
    let listed = owner.get("/bots", &[]).ok();
    assert_eq!(listed["bots"][0]["default_sending_stream"], name);
}

/// A default channel is not named to an owner who may not know it, neither in lists nor when it gets another name.
#[test]
fn default_channels_are_hidden_from_owners_outside() {
    let (owner, taker, admin) = (
        server().user("member"),
        server().user("member"),
        server().user("administrator"),
    );
    let channel = fixture::channel(server(), ChannelKind::PrivateShared, &[&owner]);
    let defaults = [("default_sending_stream", channel.name.as_str())];
    let (bot, given) = (
        bot_on(server(), &owner, &defaults),
        bot_on(server(), &owner, &defaults),
    );
    let path = format!("/bots/{}", given.id);
    admin.patch(&path, &[("bot_owner_id", &taker.id())]).ok();
    let mut queue = Queue::of(&owner, &["realm_bot", "user_status"]);
    fixture::unsubscribe(server(), &owner, &channel);
    let name = unique("renamed ");
    admin
        .patch(
            &format!("/streams/{}", channel.id()),
            &[("new_name", &name)],
        )
        .ok();
    assert!(settle(&mut queue).is_empty());
    for user in [&owner, &taker] {
        let listed = user.get("/bots", &[]).ok();
        assert_eq!(listed["bots"][0]["default_sending_stream"], Value::Null);
    }
    fixture::subscribe(server(), &owner, &channel);
    fixture::subscribe(server(), &taker, &channel);
    let listed = owner.get("/bots", &[]).ok();
    assert_eq!(listed["bots"][0]["user_id"], bot.id);
    assert_eq!(listed["bots"][0]["default_sending_stream"], name);
    let listed = taker.get("/bots", &[]).ok();
    assert_eq!(listed["bots"][0]["default_sending_stream"], Value::Null);
}
