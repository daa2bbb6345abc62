//! Bots: their storage, default channels and services, and the system bots.

mod bot_storage;
mod channel_notices;
mod default_queues;
mod receive_webhook;
mod services;
mod system_bots;
mod templates;
mod welcome;

use serde_json::{Value, json};
use spindle_tests::fixture::Channel;
use spindle_tests::{Client, Server, User, unique};

/// A bot that POST /bots created.
struct Bot {
    id: i64,
    api_key: String,
    full_name: String,
    client: Client,
}

fn bot_on(server: &Server, owner: &User, further: &[(&str, &str)]) -> Bot {
    let (short_name, full_name) = (unique("helper"), unique("Helper "));
    let pairs = [
        ("full_name", full_name.as_str()),
        ("short_name", short_name.as_str()),
    ];
    let made = owner.post("/bots", &[&pairs[..], further].concat()).ok();
    let api_key = made["api_key"].as_str().unwrap().to_owned();
    let email = format!("{short_name}-bot@127.0.0.1");
    Bot {
        id: made["user_id"].as_i64().unwrap(),
        client: Client::new(server.base_url(), Some((&email, &api_key))),
        api_key,
        full_name,
    }
}

/// The messages that a user can read, oldest first, as Markdown.
fn messages(user: &Client, narrow: &str) -> Vec<Value> {
    let pairs = [
        ("anchor", "newest"),
        ("num_before", "50"),
        ("num_after", "0"),
        ("apply_markdown", "false"),
        ("narrow", narrow),
    ];
    let body = user.get("/messages", &pairs).ok();
    body["messages"].as_array().unwrap().clone()
}

const NOTIFICATION_BOT: &str = "notification-bot@spindle.invalid";
const WELCOME_BOT: &str = "welcome-bot@spindle.invalid";

/// The direct messages of a system bot to a user.
fn said_by(user: &Client, bot: &str) -> Vec<String> {
    messages(user, "[[\"is\", \"dm\"]]")
        .iter()
        .filter(|message| message["sender_email"] == bot)
        .map(|message| message["content"].as_str().unwrap().to_owned())
        .collect()
}

/// The narrow of a channel.
fn in_channel(channel: &Channel) -> String {
    json!([{"operator": "channel", "operand": channel.stream_id}]).to_string()
}

/// The messages of the notification bot in a channel: topic and text.
fn notices_in(user: &Client, channel: &Channel) -> Vec<(String, String)> {
    messages(user, &in_channel(channel))
        .iter()
        .filter(|message| message["sender_email"] == NOTIFICATION_BOT)
        .map(|message| {
            let text = |name: &str| message[name].as_str().unwrap().to_owned();
            (text("subject"), text("content"))
        })
        .collect()
}
