//! Apps (docs/protocol/apps.md). Each test has a server of its own: a command belongs to one app of an organization.

mod install;
mod rights;
mod runs;
mod shipped;
mod shipped_feeds;
mod shipped_github;
mod signatures;
mod webhooks;

use serde_json::Value;
use spindle_tests::apps::{built_component, install};
use spindle_tests::fixture::{self, Channel, ChannelKind};
use spindle_tests::{Client, Options, Server, User, until};

/// A server with an app, which may do everything that it asks for, and a member in a channel.
struct World {
    server: Server,
    owner: User,
    user: User,
    channel: Channel,
    app: Value,
}

/// With the app of the tests.
fn world() -> World {
    world_of("test_app")
}

fn world_of(component: &str) -> World {
    let extra = ["--bot-networks", "127.0.0.0/8"]
        .map(str::to_owned)
        .to_vec();
    let server = Server::own(Options {
        extra,
        ..Options::default()
    });
    let (owner, user) = (server.user("owner"), server.user("member"));
    let channel = fixture::channel(&server, ChannelKind::Public, &[&user]);
    let app = install(&owner, &built_component(component));
    World {
        server,
        owner,
        user,
        channel,
        app,
    }
}

impl World {
    fn bot_id(&self) -> i64 {
        self.app["bot_user_id"].as_i64().unwrap()
    }

    /// The user writes to the app directly; returns the id of the message.
    fn tell(&self, text: &str) -> i64 {
        let to = format!("[{}]", self.bot_id());
        let pairs = [("type", "direct"), ("to", to.as_str()), ("content", text)];
        id(&self.user.post("/messages", &pairs).ok())
    }

    /// The user writes to the channel; returns the id of the message.
    fn say(&self, text: &str) -> i64 {
        let channel = self.channel.id();
        let pairs = [
            ("type", "channel"),
            ("to", channel.as_str()),
            ("topic", "t"),
            ("content", text),
        ];
        id(&self.user.post("/messages", &pairs).ok())
    }

    /// What the app has written, the oldest first.
    fn answers(&self) -> Vec<Value> {
        let all = all(&self.user);
        let own = all
            .into_iter()
            .filter(|one| one["sender_id"] == self.app["bot_user_id"]);
        own.collect()
    }

    /// Waits for this many answers of the app; returns their texts.
    fn wait_for(&self, number: usize) -> Vec<String> {
        let answers = until("answers of the app", || {
            Some(self.answers()).filter(|answers| answers.len() >= number)
        });
        answers.iter().map(text).collect()
    }

    /// The app as it is now.
    fn now(&self) -> Value {
        self.owner.get("/apps", &[]).ok()["apps"][0].clone()
    }

    /// Waits until the app has nothing to do.
    fn settle(&self) {
        until("an idle app", || {
            (self.now()["waiting_events"] == 0).then_some(())
        });
    }

    fn log(&self) -> Vec<String> {
        let path = format!("/apps/{}/log", self.app["app_id"]);
        let log = self.owner.get(&path, &[]).ok()["log"].clone();
        let lines = log.as_array().unwrap().iter();
        lines
            .map(|line| line["text"].as_str().unwrap().to_owned())
            .collect()
    }
}

fn id(reply: &Value) -> i64 {
    reply["id"].as_i64().unwrap()
}

fn text(message: &Value) -> String {
    message["content"].as_str().unwrap().to_owned()
}

/// All messages that a user reads, as Markdown, the oldest first.
fn all(user: &Client) -> Vec<Value> {
    let pairs = [
        ("anchor", "newest"),
        ("num_before", "1000"),
        ("num_after", "0"),
        ("apply_markdown", "false"),
    ];
    let reply = user.get("/messages", &pairs).ok();
    reply["messages"].as_array().unwrap().clone()
}
