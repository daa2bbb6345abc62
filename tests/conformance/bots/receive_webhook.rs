//! POST /external/{integration} (docs/protocol/errors.md#statuses, docs/protocol/errors.md#codes;
//! register: `realm_incoming_webhook_bots`).

use serde_json::{Value, json};
use spindle_tests::fixture::{self, Channel, ChannelKind};
use spindle_tests::{Call, Reply, User};

use super::{Bot, bot_on, in_channel, messages};
use crate::support::{keys, server};

struct Hook {
    owner: User,
    bot: Bot,
    channel: Channel,
}

impl Hook {
    fn new() -> Self {
        let owner = server().user("member");
        Self {
            bot: bot_on(server(), &owner, &[("bot_type", "2")]),
            channel: fixture::channel(server(), ChannelKind::Public, &[&owner]),
            owner,
        }
    }

    fn call(&self, name: &str, further: &[(&str, &str)], event: &str, payload: &Value) -> Reply {
        let id = self.channel.id();
        let pairs = [("api_key", self.bot.api_key.as_str()), ("stream", &id)];
        let mut call = Call::new("POST", &format!("/external/{name}"))
            .query(&[&pairs[..], further].concat())
            .raw(Some("application/json"), payload.to_string().as_bytes());
        if !event.is_empty() {
            call = call.header("X-GitHub-Event", event);
        }
        server().anonymous().send(call)
    }

    /// Topics and contents of the messages of the bot.
    fn written(&self) -> Vec<(String, String)> {
        messages(&self.owner, &in_channel(&self.channel))
            .iter()
            .map(|message| {
                assert_eq!(message["sender_id"], self.bot.id);
                let text = |name: &str| message[name].as_str().unwrap().to_owned();
                (text("subject"), text("content"))
            })
            .collect()
    }
}

fn push() -> Value {
    json!({"ref": "refs/heads/main", "repository": {"name": "tools"}, "sender": {"login": "ann"},
        "pusher": {"name": "ann"}, "commits": [], "created": true})
}

#[test]
fn calls_become_messages_of_the_bot() {
    let hook = Hook::new();
    hook.call("json", &[], "", &json!({"a": 1})).ok();
    let slack = json!({"text": "*done* <https://x.org|here>"});
    hook.call("slack_incoming", &[("topic", " builds ")], "", &slack)
        .ok();
    hook.call("github", &[], "push", &push()).ok();
    let written = hook.written();
    assert_eq!(written[0].0, "JSON");
    assert!(written[0].1.starts_with("```json"), "{written:?}");
    assert_eq!(written[1].0, "builds");
    assert_eq!(written[1].1, "**done** [here](https://x.org)");
    assert!(written[2].0.starts_with("tools / "), "{written:?}");
    assert!(written[2].1.starts_with("ann "), "{written:?}");
}

/// A payload as programs made for Slack send it; without a channel the message goes to the bot's
/// owner.
#[test]
fn a_form_payload_without_a_channel_goes_to_the_owner() {
    let hook = Hook::new();
    let call = Call::new("POST", "/external/slack_incoming")
        .query(&[("api_key", hook.bot.api_key.as_str())])
        .form(&[("payload", r#"{"text": "hello"}"#)]);
    server().anonymous().send(call).ok();
    let direct = messages(&hook.owner, "[[\"is\", \"dm\"]]");
    assert_eq!(direct[0]["content"], "hello");
    assert_eq!(direct[0]["sender_id"], hook.bot.id);
    let name = hook.channel.name.clone();
    let call = Call::new("POST", "/external/json")
        .query(&[("api_key", hook.bot.api_key.as_str()), ("stream", &name)])
        .raw(Some("application/json"), b"[]");
    server().anonymous().send(call).ok();
    assert_eq!(hook.written().len(), 1);
}

#[test]
fn ignored_events_send_no_message() {
    let hook = Hook::new();
    for further in [
        [("only_events", r#"["issues"]"#)],
        [("exclude_events", r#"["pu*"]"#)],
        [("branches", "release, dev")],
    ] {
        hook.call("github", &further, "push", &push()).ok();
    }
    assert!(hook.written().is_empty());
    let further = [("only_events", r#"["pu*"]"#), ("branches", "dev, main")];
    hook.call("github", &further, "push", &push()).ok();
    assert_eq!(hook.written().len(), 1);
}

#[test]
fn only_addresses_are_refused() {
    let hook = Hook::new();
    let (anonymous, plain) = (server().anonymous(), bot_on(server(), &hook.owner, &[]));
    let post = |pairs: &[(&str, &str)], body: &[u8]| {
        let call = Call::new("POST", "/external/json").query(pairs);
        anonymous.send(call.raw(Some("application/json"), body))
    };
    let check =
        |pairs: &[(&str, &str)]| anonymous.send(Call::new("GET", "/external/json").query(pairs));
    post(&[], b"{}").error(400, "REQUEST_VARIABLE_MISSING");
    check(&[]).error(400, "REQUEST_VARIABLE_MISSING");
    // A key of another kind of account is refused here.
    for key in [
        "x",
        &"a".repeat(32),
        plain.api_key.as_str(),
        hook.owner.api_key.as_str(),
    ] {
        post(&[("api_key", key)], b"{}").error(401, "INVALID_API_KEY");
        check(&[("api_key", key)]).error(401, "INVALID_API_KEY");
    }
    let key = ("api_key", hook.bot.api_key.as_str());
    check(&[key]).ok();
    post(&[key, ("stream", "nowhere at all")], b"{}").error(400, "STREAM_DOES_NOT_EXIST");
    post(&[key, ("only_events", "x")], b"{}").bad_request();
    hook.call("nonsense", &[], "", &json!({}))
        .error(404, "BAD_REQUEST");
    assert!(hook.written().is_empty());
    hook.owner
        .send(Call::new("DELETE", &format!("/bots/{}", hook.bot.id)))
        .ok();
    post(&[key], b"{}").error(401, "USER_DEACTIVATED");
    check(&[key]).error(401, "USER_DEACTIVATED");
}

/// A service that is refused tries again for hours, or switches the webhook off.
#[test]
fn bodies_of_an_unknown_form_are_shown() {
    let hook = Hook::new();
    let id = hook.channel.id();
    let pairs = [("api_key", hook.bot.api_key.as_str()), ("stream", &id)];
    for (name, body) in [
        ("json", &b"no json"[..]),
        ("github", b"{\"a\": 1}"),
        ("jira", b"\xff\0x"),
    ] {
        let call = Call::new("POST", &format!("/external/{name}")).query(&pairs);
        let call = call.raw(Some("application/json"), body);
        server().anonymous().send(call).ok();
    }
    let written = hook.written();
    assert_eq!(written.len(), 3);
    assert!(written[0].1.contains("no json"), "{written:?}");
    assert!(written[1].1.contains("\"a\": 1"), "{written:?}");
}

#[test]
fn a_secret_must_be_proven() {
    let hook = Hook::new();
    let config = [
        ("service_name", "gitlab"),
        ("config_data", r#"{"webhook_secret": "s3cret"}"#),
    ];
    let bot = bot_on(
        server(),
        &hook.owner,
        &[&[("bot_type", "2")], &config[..]].concat(),
    );
    let id = hook.channel.id();
    let send = |name: &str, token: Option<&str>| {
        let pairs = [("api_key", bot.api_key.as_str()), ("stream", &id)];
        let call = Call::new("POST", &format!("/external/{name}"))
            .query(&pairs)
            .raw(Some("application/json"), b"{\"object_kind\": \"x\"}");
        let call = match token {
            Some(token) => call.header("X-Gitlab-Token", token),
            None => call,
        };
        server().anonymous().send(call)
    };
    for token in [None, Some(""), Some("s3cre"), Some("s3crets")] {
        send("gitlab", token).error(401, "INVALID_WEBHOOK_SIGNATURE");
    }
    send("gitlab", Some("s3cret")).ok();
    // Another integration is no way around it.
    for other in ["json", "github", "slack_incoming"] {
        send(other, Some("s3cret")).error(401, "INVALID_WEBHOOK_SIGNATURE");
    }
    let path = format!("/bots/{}", bot.id);
    let changed = [("config_data", r#"{"webhook_secret": "other"}"#)];
    hook.owner.patch(&path, &changed).ok();
    send("gitlab", Some("s3cret")).error(401, "INVALID_WEBHOOK_SIGNATURE");
    send("gitlab", Some("other")).ok();
    hook.owner
        .patch(&path, &[("config_data", r#"{"x": "y"}"#)])
        .bad_request();
    // A new owner does not learn it.
    let (administrator, next) = (server().user("administrator"), server().user("member"));
    let id = next.user_id.to_string();
    let services = || {
        let sql = "SELECT services FROM bots WHERE user_id = ?1";
        let database = server().database();
        let services: String = database.query_row(sql, [bot.id], |row| row.get(0)).unwrap();
        services
    };
    assert!(services().contains("other"), "{}", services());
    administrator.patch(&path, &[("bot_owner_id", &id)]).ok();
    let services = services();
    assert!(
        services.contains("gitlab") && !services.contains("other"),
        "{services}"
    );
}

#[test]
fn a_delivery_that_is_repeated_makes_one_message() {
    let hook = Hook::new();
    let id = hook.channel.id();
    let pairs = [("api_key", hook.bot.api_key.as_str()), ("stream", &id)];
    for delivery in ["d-1", "d-2", "d-1"] {
        let call = Call::new("POST", "/external/github")
            .query(&pairs)
            .header("X-GitHub-Event", "push")
            .header("X-GitHub-Delivery", delivery)
            .raw(Some("application/json"), push().to_string().as_bytes());
        server().anonymous().send(call).ok();
    }
    assert_eq!(hook.written().len(), 2);
}

/// GitHub sends up to 25 MiB. A large body is received only with a valid key.
#[test]
fn a_push_of_megabytes_arrives() {
    let hook = Hook::new();
    let mut large = push();
    large["padding"] = "x".repeat(3 << 20).into();
    hook.call("github", &[], "push", &large).ok();
    assert_eq!(hook.written().len(), 1);
    let call = Call::new("POST", "/external/github")
        .query(&[("api_key", "a".repeat(32).as_str())])
        .raw(Some("application/json"), large.to_string().as_bytes());
    server()
        .anonymous()
        .send(call)
        .error(401, "INVALID_API_KEY");
}

/// The key in the header is accepted by POST /messages only; a private channel stays inaccessible.
#[test]
fn the_bot_has_the_rights_of_any_bot() {
    let hook = Hook::new();
    let closed = fixture::channel(server(), ChannelKind::PrivateShared, &[]);
    hook.call("json", &[("stream", &closed.id())], "", &json!({}))
        .error(400, "STREAM_DOES_NOT_EXIST");
    hook.bot
        .client
        .get("/bot_storage", &[])
        .error(401, "UNAUTHORIZED");
}

#[test]
fn the_table_of_integrations_is_in_the_snapshot() {
    let pairs = [
        ("event_types", "[]"),
        (
            "fetch_event_types",
            r#"["realm_incoming_webhook_bots", "realm_embedded_bots"]"#,
        ),
    ];
    let body = server().user("member").post("/register", &pairs).ok();
    let hooks = body["realm_incoming_webhook_bots"].as_array().unwrap();
    let names: Vec<&str> = hooks
        .iter()
        .map(|hook| hook["name"].as_str().unwrap())
        .collect();
    assert!(names.len() > 40 && names.contains(&"github"), "{names:?}");
    for hook in hooks {
        let setup = hook["setup"].as_str().unwrap();
        assert!(setup.contains("ADDRESS"), "{setup}");
        for (list, kind) in [
            ("config_options", "validator"),
            ("url_options", "input_type"),
        ] {
            for option in hook[list].as_array().unwrap() {
                let mut expected = ["key", "label", kind];
                expected.sort_unstable();
                assert_eq!(keys(option), expected);
                let mut values = option.as_object().unwrap().values();
                assert!(values.all(Value::is_string), "{option}");
            }
        }
    }
    let named = |name: &str| hooks.iter().find(|hook| hook["name"] == name).unwrap();
    let options = &named("github")["url_options"][0];
    assert_eq!(
        (&options["key"], &options["input_type"]),
        (&json!("branches"), &json!("text"))
    );
    assert_eq!(
        named("github")["config_options"][0]["key"],
        "webhook_secret"
    );
    assert_eq!(named("json")["all_event_types"], Value::Null);
    assert_eq!(
        body["realm_embedded_bots"],
        json!([{"name": "converter", "config": {}},
            {"name": "helloworld", "config": {"greeting": "Hello"}}])
    );
}
