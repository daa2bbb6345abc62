//! Apps on a running server: the poll that ships, and the app of the tests, which does what messages ask it
//! (docs/APPS.md).
//!
//! The native host runs them; each test has a server of its own, since clocks are moved and apps are paused.

mod limits;

use std::process::Command;
use std::time::Duration;

use serde_json::{Value, json};
use spindle_tests::fixture::{self, Channel, ChannelKind};
use spindle_tests::server::{binary, repository};
use spindle_tests::{Call, Options, PATIENCE, Server, User, unique, until, until_within};

const POLL: &str = "app_poll";
const TESTER: &str = "test_app";

fn component(name: &str) -> Vec<u8> {
    let path = repository().join(format!("target/wasm32-wasip2/component/{name}.wasm"));
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// A server with an app that has all the rights that it asks for, and a channel of a member.
struct Team {
    server: Server,
    administrator: User,
    member: User,
    channel: Channel,
    app: Value,
}

impl Team {
    #[track_caller]
    fn with(name: &str) -> Self {
        let server = Server::spawn(Options::default());
        let (administrator, member) = (server.user("administrator"), server.user("member"));
        let channel = fixture::channel(&server, ChannelKind::Public, &[&administrator, &member]);
        let answer = administrator.upload("/apps", "app.wasm", &component(name));
        let app = answer.ok()["app"].clone();
        assert_eq!(app["state"], "waiting");
        let manifest = &app["manifest"];
        let commands = manifest["commands"].as_array().expect("commands");
        let commands: Vec<&Value> = commands.iter().map(|command| &command["name"]).collect();
        let rights = json!({
            "events": manifest["events"], "commands": commands, "hosts": manifest["hosts"], "channels": null
        });
        let mut team = Self {
            server,
            administrator,
            member,
            channel,
            app,
        };
        team.change("rights", &rights);
        assert_eq!(team.app["state"], "active");
        let bot = json!([team.app["bot_user_id"]]).to_string();
        let channels = json!([{"name": team.channel.name}]).to_string();
        let subscribe = [("subscriptions", channels.as_str()), ("principals", &bot)];
        team.administrator
            .post("/users/me/subscriptions", &subscribe)
            .ok();
        team
    }

    fn path(&self) -> String {
        format!("/apps/{}", self.app["app_id"])
    }

    #[track_caller]
    fn change(&mut self, name: &str, value: &Value) {
        let answer = self
            .administrator
            .patch(&self.path(), &[(name, &value.to_string())]);
        self.app = answer.ok()["app"].clone();
    }

    /// Sends to a topic; returns the id.
    #[track_caller]
    fn say(&self, topic: &str, content: &str) -> i64 {
        let message = [
            ("type", "stream"),
            ("to", &self.channel.id()),
            ("topic", topic),
            ("content", content),
        ];
        let sent = self.member.post("/messages", &message).ok();
        sent["id"].as_i64().expect("id")
    }

    /// Messages of the app in a topic, the oldest first.
    #[track_caller]
    fn messages(&self, topic: &str) -> Vec<Value> {
        let narrow = json!([
            {"operator": "channel", "operand": self.channel.stream_id},
            {"operator": "topic", "operand": topic},
        ]);
        self.messages_in(&narrow)
    }

    #[track_caller]
    fn messages_in(&self, narrow: &Value) -> Vec<Value> {
        let parameters = [
            ("anchor", "newest"),
            ("num_before", "100"),
            ("num_after", "0"),
            ("apply_markdown", "false"),
            ("narrow", &narrow.to_string()),
        ];
        let answer = self.member.get("/messages", &parameters).ok();
        let messages = answer["messages"].as_array().expect("messages").clone();
        let bot = &self.app["bot_user_id"];
        let own = messages
            .into_iter()
            .filter(|message| &message["sender_id"] == bot);
        own.collect()
    }

    /// Waits for a message of the app in a topic whose content contains a text.
    #[track_caller]
    fn until_said(&self, topic: &str, text: &str) -> Value {
        until(&format!("the app says {text:?}"), || {
            let messages = self.messages(topic).into_iter();
            messages
                .rev()
                .find(|message| content(message).contains(text))
        })
    }

    /// Waits until the log of the app has a line with a text.
    #[track_caller]
    fn until_logged(&self, text: &str) {
        let path = format!("{}/log", self.path());
        until(&format!("the log has {text:?}"), || {
            let log = self.administrator.get(&path, &[]).ok();
            let mut lines = log["log"].as_array().expect("log").iter();
            let fits = |line: &Value| line["text"].as_str().expect("text").contains(text);
            lines.any(fits).then_some(())
        });
    }

    #[track_caller]
    fn click(&self, user: &User, message: &Value, button: &str) {
        let path = format!("/messages/{}/click", message["id"]);
        user.post(&path, &[("button", button)]).ok();
    }

    /// Scopes and keys of what the app has stored, in order.
    fn stored(&self) -> Vec<(String, String)> {
        let select = "SELECT scope, key FROM app_values ORDER BY scope, key";
        let read = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?));
        let rows = self.server.database().rows(select, [], read);
        rows.expect("values")
    }

    /// The app in the list.
    #[track_caller]
    fn listed(&self) -> Value {
        let apps = self.administrator.get("/apps", &[]).ok();
        let mut apps = apps["apps"].as_array().expect("apps").iter();
        let found = apps.find(|app| app["app_id"] == self.app["app_id"]);
        found.expect("the app is listed").clone()
    }
}

fn content(message: &Value) -> &str {
    message["content"].as_str().expect("content")
}

#[test]
fn a_component_that_cannot_be_used_is_in_the_log_before_an_event_comes() {
    let mut team = Team::with(TESTER);
    // Servers of tests share the folder of machine code, and only what is new there is compiled.
    let manifest = json!({"name": "bare", "title": "Bare", "version": "1", "channels": "all",
        "description": unique("new")});
    let component = spindle_tests::apps::bare_component(&manifest.to_string());
    let answer = team.administrator.upload("/apps", "app.wasm", &component);
    team.app = answer.ok()["app"].clone();
    team.server.advance_past_run(5, "keep-app-code");
    team.until_logged("cannot be used");
}

#[test]
fn a_poll_counts_votes_until_its_deadline() {
    let team = Team::with(POLL);
    let other = team.server.user("member");
    team.say("lunch", "/vote Lunch?\nPizza\nSoup\nuntil 10m");
    let poll = team.until_said("lunch", "Pizza: 0 votes");
    let buttons = json!([{"id": "1", "label": "Pizza"}, {"id": "2", "label": "Soup"}]);
    assert_eq!(poll["buttons"], buttons);
    team.click(&team.member, &poll, "2");
    team.until_said("lunch", "Soup: 1 vote");
    team.click(&other, &poll, "2");
    team.until_said("lunch", "Soup: 2 votes");
    team.click(&team.member, &poll, "1");
    let changed = team.until_said("lunch", "Pizza: 1 vote");
    assert!(content(&changed).contains("Soup: 1 vote"));
    assert_eq!(changed["buttons"], buttons);
    team.server.advance(600);
    let ended = team.until_said("lunch", "The poll has ended.");
    assert_eq!(ended["id"], poll["id"]);
    assert_eq!(ended["buttons"], Value::Null);
    let path = format!("/messages/{}/click", poll["id"]);
    team.member.post(&path, &[("button", "1")]).bad_request();
}

#[test]
fn a_failing_app_is_paused_and_its_owner_is_informed() {
    let mut team = Team::with(TESTER);
    team.say("t", "/test hi");
    team.until_said("t", "Hello, ");
    team.say("t", "/test trap");
    // Longer than the longest time before it is computed again. A pause, since a run that the clock overtakes is due again.
    let pause = Duration::from_millis(300);
    let paused = until_within(PATIENCE, pause, "the app is paused", || {
        team.server.advance(200);
        let app = team.listed();
        (app["state"] == "paused").then_some(app)
    });
    let reason = paused["paused_reason"].as_str().expect("reason");
    assert!(reason.contains("asked"), "{reason}");
    let narrow = json!([{"operator": "is", "operand": "dm"}]);
    until("its owner has a notice", || {
        let parameters = [
            ("anchor", "newest"),
            ("num_before", "10"),
            ("num_after", "0"),
            ("narrow", &narrow.to_string()),
        ];
        let answer = team.administrator.get("/messages", &parameters).ok();
        let mut messages = answer["messages"].as_array().expect("messages").iter();
        let fits = |message: &Value| content(message).contains("Tester");
        messages.any(fits).then_some(())
    });
    team.change("is_paused", &json!(false));
    team.say("t", "/test again");
    team.until_said("t", "again");
}

#[test]
fn effects_that_are_refused_come_back() {
    let team = Team::with(TESTER);
    team.say("t", "/test send 999999 x");
    // The other effects of the list are made.
    team.until_said("t", "sent");
    team.until_logged("send failed");
    team.say("t", "/test edit 1");
    team.until_logged("edit failed");
    team.say("t", "/test fill a");
    team.say("t", "/test fill b");
    team.until_logged("store failed");
    let channel = format!("channel {}", team.channel.stream_id);
    assert_eq!(team.stored(), [(channel, "a".to_owned())]);
}

#[test]
fn ticks_and_calls_arrive() {
    let team = Team::with(TESTER);
    team.say("home", "/test home");
    team.until_said("home", "home");
    team.say("home", "/test later 600");
    team.say("home", "/test hi");
    team.until_said("home", "Hello, ");
    team.server.advance(601);
    team.until_said("home", "tick later");
    let url = team.listed()["webhook_url"]
        .as_str()
        .expect("an address")
        .to_owned();
    let (_, query) = url.split_once("/api/v1/external/app?").expect("its path");
    let key = query.split_once("api_key=").expect("its key").1;
    let call = Call::new("POST", "/external/app").query(&[("api_key", key)]);
    let call = call.raw(Some("text/plain"), b"from outside");
    team.member.send(call).ok();
    team.until_said("home", "webhook from outside");
}

#[test]
fn an_answer_for_one_person_is_a_direct_message_to_other_clients() {
    let team = Team::with(TESTER);
    team.say("t", "/test whisper only you");
    let bot = team.app["bot_user_id"].clone();
    let narrow = json!([{"operator": "dm", "operand": [bot]}]);
    until("the answer is a direct message", || {
        let messages = team.messages_in(&narrow);
        let mut said = messages.iter().map(content);
        said.any(|text| text.contains("only you")).then_some(())
    });
    assert!(team.messages("t").is_empty());
}

/// Each event counts once and is answered once, also if the server is killed while it computes.
#[test]
fn effects_happen_once_when_the_server_is_killed() {
    let mut team = Team::with(TESTER);
    team.say("t", "/test hi");
    team.until_said("t", "Hello, ");
    const EVENTS: usize = 20;
    for round in 0..EVENTS {
        team.say("t", "/test count");
        if round % 5 == 4 {
            team.server.kill();
            team.server.restart();
        }
    }
    // The lease of an app whose server was killed lasts some seconds.
    team.server.advance(20);
    let messages = until("every event is answered", || {
        let messages = team.messages("t");
        (messages.len() > EVENTS).then_some(messages)
    });
    let counts: Vec<&str> = messages.iter().map(content).skip(1).collect();
    let expected: Vec<String> = (1..=EVENTS).map(|count| count.to_string()).collect();
    assert_eq!(counts, expected);
}

#[test]
fn a_removed_app_leaves_its_messages() {
    let team = Team::with(TESTER);
    team.say("t", "/test buttons");
    let message = team.until_said("t", "Click");
    team.click(&team.member, &message, "a");
    let clicked = team.until_said("t", "1 clicks, the last on a");
    assert_eq!(clicked["id"], message["id"]);
    let deleted = team.administrator.delete(&team.path(), &[]).ok();
    assert_eq!(deleted["deleted"]["values"], 1);
    assert_eq!(team.messages("t").len(), 1);
    let path = format!("/messages/{}/click", message["id"]);
    team.member.post(&path, &[("button", "a")]).bad_request();
    let apps = team.administrator.get("/apps", &[]).ok();
    assert_eq!(apps["apps"], json!([]));
}

/// Without a server.
#[test]
fn an_app_can_be_tried() {
    let folder = tempfile::tempdir().expect("folder");
    let events = folder.path().join("events.json");
    let person = json!({"id": 3, "name": "Ann", "is_guest": false, "is_administrator": false});
    let story = json!([
        {"scope": "channel 1", "time": 100, "what": {
            "type": "command", "name": "vote", "text": "Lunch?\nPizza\nSoup",
            "message": {"id": 7, "sender": person, "content": "/vote Lunch?",
                "place": {"type": "topic", "channel": 1, "topic": "lunch"}}}},
        {"scope": "message 1001", "what": {
            "type": "click", "message_id": 1001, "person": person, "button": "1"}},
        {"scope": "message 1001", "what": {
            "type": "vote", "message_id": 1001, "person": person, "choice": "1", "is_added": true}},
    ]);
    std::fs::write(&events, story.to_string()).expect("events");
    let wasm = folder.path().join("poll.wasm");
    std::fs::write(&wasm, component(POLL)).expect("component");
    let output = Command::new(binary())
        .args(["app", "try"])
        .args([&wasm, &events])
        .output()
        .expect("spindle app try");
    let said = String::from_utf8(output.stdout).expect("text");
    let lines: Vec<Value> = said
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    let [asked, clicked, refused] = lines.as_slice() else {
        panic!("{said}");
    };
    assert_eq!(asked["messages"], json!([1001]));
    let edit = &clicked["effects"][1];
    assert!(content(edit).contains("Pizza: 1 vote"), "{edit}");
    // The manifest does not ask for votes.
    assert!(refused["failed"].is_string() && !output.status.success());
}

#[test]
fn a_new_app_is_a_folder_of_its_own() {
    let folder = tempfile::tempdir().expect("folder");
    let name = unique("app-");
    let new = |name: &str| {
        let mut command = Command::new(binary());
        command
            .args(["app", "new", name])
            .current_dir(folder.path());
        command.output().expect("spindle app new").status.success()
    };
    assert!(new(&name));
    for file in [
        "Cargo.toml",
        "app.json",
        "src/lib.rs",
        "spindle-app/wit/app.wit",
    ] {
        let path = folder.path().join(&name).join(file);
        let text = std::fs::read_to_string(&path).expect("a file");
        assert!(!text.contains("NAME"), "{file}");
    }
    // It exists now; and a name that no app can have.
    assert!(!new(&name) && !new("Not a name"));
}
