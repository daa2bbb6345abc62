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
    json!({"ref": "refs/heads/main", "repository": {"name": "tools"},
        "pusher": {"name": "ann"}, "commits": []})
}

#[test]
fn calls_become_messages_of_the_bot() {
    let hook = Hook::new();
    hook.call("json", &[], "", &json!({"a": 1})).ok();
    let slack = json!({"text": "*done* <https://x.org|here>"});
    hook.call("slack_incoming", &[("topic", " builds ")], "", &slack)
        .ok();
    hook.call("github", &[], "push", &push()).ok();
    let expected = [
        ("JSON", "```json\n{\n  \"a\": 1\n}\n```"),
        ("builds", "**done** [here](https://x.org)"),
        ("tools / main", "ann pushed 0 commits to **main**."),
    ];
    let expected = expected.map(|(topic, text)| (topic.to_owned(), text.to_owned()));
    assert_eq!(hook.written(), expected);
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
fn invalid_payloads_get_their_error_code() {
    let hook = Hook::new();
    let (anonymous, plain) = (server().anonymous(), bot_on(server(), &hook.owner, &[]));
    let post = |pairs: &[(&str, &str)], body: &[u8]| {
        let call = Call::new("POST", "/external/json").query(pairs);
        anonymous.send(call.raw(Some("application/json"), body))
    };
    post(&[], b"{}").error(400, "REQUEST_VARIABLE_MISSING");
    // A key of another kind of account is refused here.
    for key in [
        "x",
        &"a".repeat(32),
        plain.api_key.as_str(),
        hook.owner.api_key.as_str(),
    ] {
        post(&[("api_key", key)], b"{}").error(401, "INVALID_API_KEY");
    }
    let key = ("api_key", hook.bot.api_key.as_str());
    post(&[key], b"no json").error(400, "ANOMALOUS_WEBHOOK_PAYLOAD");
    post(&[key, ("stream", "nowhere at all")], b"{}").error(400, "STREAM_DOES_NOT_EXIST");
    post(&[key, ("only_events", "x")], b"{}").bad_request();
    hook.call("github", &[], "", &push())
        .error(400, "MISSING_HTTP_EVENT_HEADER");
    hook.call("github", &[], "push", &json!({}))
        .error(400, "ANOMALOUS_WEBHOOK_PAYLOAD");
    let unknown = hook.call("github", &[], "fork", &push());
    assert_eq!(unknown.status, 200, "the program must not try again");
    assert_eq!(unknown.body["code"], "UNSUPPORTED_WEBHOOK_EVENT_TYPE");
    assert_eq!(unknown.body["result"], "error");
    hook.call("nonsense", &[], "", &json!({}))
        .error(404, "BAD_REQUEST");
    assert!(hook.written().is_empty());
    hook.owner
        .send(Call::new("DELETE", &format!("/bots/{}", hook.bot.id)))
        .ok();
    post(&[key], b"{}").error(401, "USER_DEACTIVATED");
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
    assert_eq!(names, ["github", "json", "slack_incoming"]);
    for hook in hooks {
        assert_eq!(hook["config_options"], json!([]), "nothing is needed yet");
        for option in hook["url_options"].as_array().unwrap() {
            assert_eq!(keys(option), ["input_type", "key", "label"]);
            let mut values = option.as_object().unwrap().values();
            assert!(values.all(Value::is_string), "{option}");
        }
    }
    let options = &hooks[0]["url_options"][0];
    assert_eq!(
        (&options["key"], &options["input_type"]),
        (&json!("branches"), &json!("text"))
    );
    assert_eq!(hooks[1]["all_event_types"], Value::Null);
    assert_eq!(
        body["realm_embedded_bots"],
        json!([{"name": "converter", "config": {}},
            {"name": "helloworld", "config": {"greeting": "Hello"}}])
    );
}
