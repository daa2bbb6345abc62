//! Bots of `zulip_bots`, run by its own runner.

use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;
use spindle_tests::fixture::{self, Channel, ChannelKind};
use spindle_tests::{Queue, Server, User};

use crate::{Running, configuration, installed, wait_for_queue};

/// Starts a bot, with `settings` as the content of its own configuration file, and waits until it
/// listens.
fn start(bin: &Path, name: &str, folder: &Path, bot: &User, settings: &str) -> Running {
    let own = folder.join(format!("{name}.conf"));
    std::fs::write(&own, settings).expect("configuration file");
    let child = Command::new(bin.join("zulip-run-bot"))
        .args([name, "--config-file"])
        .arg(configuration(folder, bot))
        .arg("--bot-config-file")
        .arg(own)
        .env("PYTHONUNBUFFERED", "1")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the bot starts");
    let running = Running(child);
    wait_for_queue(Server::shared(), bot);
    running
}

/// Mentions the bot in a channel.
fn mention(user: &User, bot: &User, channel: &Channel, text: &str) {
    let content = format!("@**{}** {text}", bot.full_name);
    let to = channel.id();
    let pairs = [
        ("type", "channel"),
        ("to", to.as_str()),
        ("topic", "bots"),
        ("content", &content),
    ];
    user.post("/messages", &pairs).ok();
}

fn is_from(event: &Value, bot: &User) -> bool {
    event["type"] == "message" && event["message"]["sender_id"] == bot.user_id
}

/// The helloworld bot answers a direct message, and a mention in a channel.
#[test]
fn the_bot_runner_answers() {
    let Some(bin) = installed("python") else {
        return;
    };
    let server = Server::shared();
    let (bot, user) = (server.bot(), server.user("member"));
    let channel = fixture::channel(server, ChannelKind::Public, &[&bot, &user]);
    let folder = tempfile::tempdir().expect("folder");
    let mut queue = Queue::of(&user, &["message"]);
    let _running = start(&bin, "helloworld", folder.path(), &bot, "");
    let to = format!("[{}]", bot.id());
    user.post(
        "/messages",
        &[("type", "direct"), ("to", &to), ("content", "hello")],
    )
    .ok();
    let answered = |event: &serde_json::Value, kind: &str| {
        event["message"]["sender_id"] == bot.user_id
            && event["message"]["type"] == kind
            && event["message"]["content"] == "beep boop"
    };
    queue.expect(|event| answered(event, "private"));
    mention(&user, &bot, &channel, "hello");
    queue.expect(|event| answered(event, "stream"));
}

/// The followup bot sends to the channel that its configuration names.
#[test]
fn the_followup_bot_sends_to_its_configured_channel() {
    let Some(bin) = installed("python") else {
        return;
    };
    let server = Server::shared();
    let (bot, user) = (server.bot(), server.user("member"));
    let everybody = [&bot, &user];
    let channel = fixture::channel(server, ChannelKind::Public, &everybody);
    let followup = fixture::channel(server, ChannelKind::Public, &everybody);
    let folder = tempfile::tempdir().expect("folder");
    let settings = format!("[followup]\nstream = {}\n", followup.name);
    let mut queue = Queue::of(&user, &["message"]);
    let _running = start(&bin, "followup", folder.path(), &bot, &settings);
    mention(&user, &bot, &channel, "water the plants");
    let event = queue.expect(|event| is_from(event, &bot));
    assert_eq!(
        event["message"]["display_recipient"],
        followup.name.as_str()
    );
    assert_eq!(event["message"]["subject"], user.email.as_str());
    let content = event["message"]["content"].as_str().expect("content");
    assert!(content.ends_with("water the plants"), "{content}");
}

/// The incrementor stores its number in the bot storage, and edits its answer.
#[test]
fn the_incrementor_edits_its_answer() {
    let Some(bin) = installed("python") else {
        return;
    };
    let server = Server::shared();
    let (bot, user) = (server.bot(), server.user("member"));
    let channel = fixture::channel(server, ChannelKind::Public, &[&bot, &user]);
    let folder = tempfile::tempdir().expect("folder");
    let mut queue = Queue::of(&user, &["message", "update_message"]);
    let _running = start(&bin, "incrementor", folder.path(), &bot, "");
    mention(&user, &bot, &channel, "");
    let answer = queue.expect(|event| is_from(event, &bot));
    assert_eq!(answer["message"]["content"], "1");
    for number in ["2", "3"] {
        mention(&user, &bot, &channel, "");
        let edit = queue.expect(|event| event["type"] == "update_message");
        assert_eq!(edit["message_id"], answer["message"]["id"]);
        assert_eq!(edit["content"], number);
    }
}
