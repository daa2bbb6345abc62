//! The integration `template`: POST /bots, PATCH /bots/{bot_id}, POST /external/template and POST /bots/template_preview
//! (docs/protocol/bots.md#templates, docs/protocol/bots.md#preview_template).

use serde_json::{Value, json};
use spindle_tests::fixture::{self, Channel, ChannelKind};
use spindle_tests::{Call, Client, Options, Reply, Server, User, unique};

use super::{Bot, NOTIFICATION_BOT, bot_on, in_channel, messages, said_by};
use crate::support::{keys, server};

const TOPIC: &str = "{{ body.app }}";
const TEXT: &str = "{{ body.who|bold }}: {{ body.what }}{% if headers['x-kind'] %} ({{ headers['x-kind'] }}){% endif %}";

fn config(topic: &str, text: &str) -> String {
    json!({"topic_template": topic, "text_template": text}).to_string()
}

fn bot_with(server: &Server, owner: &User, topic: &str, text: &str) -> Bot {
    let config = config(topic, text);
    let further = [
        ("bot_type", "2"),
        ("service_name", "template"),
        ("config_data", &config),
    ];
    bot_on(server, owner, &further)
}

fn deliver(server: &Server, bot: &Bot, channel: &Channel, body: &str) -> Reply {
    let id = channel.id();
    let pairs = [("api_key", bot.api_key.as_str()), ("stream", &id)];
    let call = Call::new("POST", "/external/template")
        .query(&pairs)
        .header("X-Kind", "push *1*")
        .header("X-Secret-Thing", "none of the template's business");
    server
        .anonymous()
        .send(call.raw(Some("application/json"), body.as_bytes()))
}

/// Topics and contents of the messages of a bot.
fn written(reader: &Client, channel: &Channel) -> Vec<(String, String)> {
    let text = |message: &Value, name: &str| message[name].as_str().unwrap().to_owned();
    messages(reader, &in_channel(channel))
        .iter()
        .map(|message| (text(message, "subject"), text(message, "content")))
        .collect()
}

fn preview(user: &Client, pairs: &[(&str, &str)]) -> Reply {
    user.post("/bots/template_preview", pairs)
}

#[track_caller]
fn refused(reply: Reply, begin: &str) {
    let message = reply.error(400, "BAD_REQUEST")["msg"].to_string();
    assert!(message.starts_with(&format!("\"{begin}")), "{message}");
}

#[test]
fn deliveries_become_what_the_templates_say() {
    let owner = server().user("member");
    let channel = fixture::channel(server(), ChannelKind::Public, &[&owner]);
    let bot = bot_with(server(), &owner, TOPIC, TEXT);
    let body = json!({"app": "shop *1*", "who": "Ann_*", "what": "@**all** #1"}).to_string();
    deliver(server(), &bot, &channel, &body).ok();
    let expected = "**Ann_&#42;**: @&#42;&#42;all&#42;&#42; #1 (push &#42;1&#42;)";
    assert_eq!(
        written(&owner, &channel),
        [("shop *1*".to_owned(), expected.to_owned())]
    );
    let path = format!("/bots/{}", bot.id);
    let changed = json!({"text_template": "{{ body }}{{ headers['x-secret-thing'] }}"});
    owner
        .patch(&path, &[("config_data", &changed.to_string())])
        .ok();
    deliver(server(), &bot, &channel, "no JSON").ok();
    let last = written(&owner, &channel).pop().unwrap();
    // Without a topic it is the name of the bot.
    assert_eq!(last, (bot.full_name.clone(), "no JSON".to_owned()));
    let shown = owner.post("/register", &[("fetch_event_types", r#"["realm_bot"]"#)]);
    let bots = shown.ok()["realm_bots"].as_array().unwrap().clone();
    let own = bots.iter().find(|one| one["user_id"] == bot.id).unwrap();
    let config = &own["services"][0]["config_data"];
    assert_eq!(config["topic_template"], TOPIC);
    assert_eq!(config["text_template"], changed["text_template"]);
}

#[test]
fn a_template_that_cannot_be_read_is_refused() {
    let owner = server().user("member");
    let bot = bot_with(server(), &owner, TOPIC, TEXT);
    let path = format!("/bots/{}", bot.id);
    let (short_name, full_name) = (unique("other"), unique("Other "));
    let long = ("x".repeat(1_001), "x".repeat(10_001));
    for (topic, text, begin) in [
        ("{{ body.", "x", "topic_template, line 1: "),
        ("x", "a\n{% if", "text_template, line 2: "),
        (
            "x",
            "{{ x|nonsense }}",
            "text_template, line 1: filter nonsense",
        ),
        (
            "x",
            "{% include 'x' %}",
            "text_template, line 1: unknown statement",
        ),
        ("x", "", "text_template is empty"),
        (&*long.0, "x", "topic_template has more than 1000 bytes"),
        ("x", &*long.1, "text_template has more than 10000 bytes"),
    ] {
        let config = config(topic, text);
        refused(owner.patch(&path, &[("config_data", &config)]), begin);
        let pairs = [
            ("bot_type", "2"),
            ("service_name", "template"),
            ("config_data", &config),
            ("short_name", &short_name),
            ("full_name", &full_name),
        ];
        refused(owner.post("/bots", &pairs), begin);
        let sample = [
            ("topic_template", topic),
            ("text_template", text),
            ("body", "{}"),
        ];
        let reply = preview(&owner, &sample);
        if text.len() <= 10_000 {
            refused(reply, begin);
        } else {
            reply.error(400, "BAD_REQUEST");
        }
    }
    let other = server().user("member");
    let config = [("config_data", r#"{"text_template": "y"}"#)];
    other.patch(&path, &config).bad_request();
    owner.patch(&path, &config).ok();
}

#[test]
fn a_preview_shows_the_message_of_a_sample() {
    let user = server().user("member");
    let body = preview(
        &user,
        &[
            ("topic_template", TOPIC),
            ("text_template", TEXT),
            (
                "body",
                r#"{"app": "shop", "who": "Ann", "what": "*down* since @**all**"}"#,
            ),
            (
                "headers",
                r#"{"X-Kind": "push", "Content-Type": "application/json"}"#,
            ),
        ],
    )
    .ok();
    assert_eq!(body["topic"], "shop");
    assert_eq!(
        body["content"],
        "**Ann**: &#42;down&#42; since @&#42;&#42;all&#42;&#42; (push)"
    );
    assert_eq!(
        body["rendered"],
        "<p><strong>Ann</strong>: &#42;down&#42; since @&#42;&#42;all&#42;&#42; (push)</p>"
    );
    let form = [
        ("text_template", "{{ body.a }}"),
        ("body", "a=b+c"),
        (
            "headers",
            r#"{"content-type": "application/x-www-form-urlencoded"}"#,
        ),
    ];
    assert_eq!(preview(&user, &form).ok()["content"], "b c");
    for (template, begin) in [
        ("{{ body.x }}", "text_template: makes an empty text"),
        (
            "a\n{{ body.a|date }}",
            "text_template, line 2: date cannot read",
        ),
        (
            "{{ 'x' * 1000000000 }}",
            "text_template, line 1: needs too many steps",
        ),
        (
            "{% for x in range(99999) %}{% for y in range(99999) %}{% endfor %}{% endfor %}",
            "text_template, line 1: needs too many steps",
        ),
        (
            "{% for x in [[1]] recursive %}{{ loop([x]) }}{% endfor %}",
            "text_template, line 1: recursion limit",
        ),
    ] {
        let pairs = [("text_template", template), ("body", r#"{"a": "b"}"#)];
        refused(preview(&user, &pairs), begin);
    }
    let deep = format!("{{{{ {}1{} }}}}", "(".repeat(2_000), ")".repeat(2_000));
    let pairs = [("text_template", deep.as_str()), ("body", "{}")];
    refused(
        preview(&user, &pairs),
        "text_template, line 1: template exceeds maximum recursion",
    );
    let nested = format!("{}1{}", "[".repeat(120), "]".repeat(120));
    let pairs = [("text_template", "{{ body }}"), ("body", nested.as_str())];
    assert!(preview(&user, &pairs).ok()["content"].to_string().len() > 240);
    preview(&user, &[("text_template", "x")]).error(400, "REQUEST_VARIABLE_MISSING");
    let guest = server().user("guest");
    preview(&guest, &[("text_template", "x"), ("body", "")]).bad_request();
}

#[test]
fn the_owner_is_notified_of_failures_once_an_hour() {
    let server = Server::start(Options::default());
    let owner = server.user("member");
    let channel = fixture::channel(&server, ChannelKind::Public, &[&owner]);
    let bot = bot_with(&server, &owner, "", "{{ body.at|date }}");
    let other = bot_with(&server, &owner, "", "{{ body.missing }}");
    let failing = json!({"at": "@**all**", "log": "```\n".to_owned() + &"x".repeat(5_000)});
    for _ in 0..3 {
        deliver(&server, &bot, &channel, &failing.to_string()).ok();
    }
    deliver(&server, &bot, &channel, r#"{"at": 0}"#).ok();
    let notices = || said_by(&owner, NOTIFICATION_BOT);
    let first = notices();
    assert_eq!(first.len(), 1, "{first:?}");
    let notice = &first[0];
    assert!(notice.contains(&bot.full_name), "{notice}");
    let reason = "text_template, line 1: date cannot read \"@**all**\" as a time";
    assert!(notice.contains(reason), "{notice}");
    assert!(
        notice.contains("\n````json\n{\n  \"at\": \"@**all**\""),
        "{notice}"
    );
    assert!(
        (2_000..2_600).contains(&notice.chars().count()),
        "{}",
        notice.len()
    );
    let flags = messages(&owner, r#"[["is", "mentioned"]]"#);
    assert_eq!(flags.len(), 0);
    deliver(&server, &other, &channel, &failing.to_string()).ok();
    assert_eq!(notices().len(), 2, "each bot has its own hour");
    server.advance(3_500);
    deliver(&server, &bot, &channel, &failing.to_string()).ok();
    assert_eq!(notices().len(), 2);
    server.advance(200);
    deliver(&server, &bot, &channel, &failing.to_string()).ok();
    assert_eq!(notices().len(), 3);
    assert_eq!(written(&owner, &channel).len(), 1);
}

#[test]
fn a_secret_must_be_proven_where_the_bot_has_one() {
    let owner = server().user("member");
    let bot = bot_with(server(), &owner, "", "x");
    let path = format!("/bots/{}", bot.id);
    let secret = [("config_data", r#"{"webhook_secret": "s3cret"}"#)];
    owner.patch(&path, &secret).ok();
    let send = |token: &str| {
        let call = Call::new("POST", "/external/template")
            .query(&[("api_key", bot.api_key.as_str())])
            .header("X-Webhook-Secret", token);
        server()
            .anonymous()
            .send(call.raw(Some("application/json"), b"{}"))
    };
    send("other").error(401, "INVALID_WEBHOOK_SIGNATURE");
    send("s3cret").ok();
}

#[test]
fn examples_are_in_the_snapshot_and_can_be_previewed() {
    let user = server().user("member");
    let pairs = [
        ("event_types", "[]"),
        ("fetch_event_types", r#"["realm_incoming_webhook_bots"]"#),
    ];
    let body = user.post("/register", &pairs).ok();
    let hooks = body["realm_incoming_webhook_bots"].as_array().unwrap();
    let examples = |hook: &Value| hook["examples"].as_array().unwrap().clone();
    let own = hooks
        .iter()
        .find(|hook| hook["name"] == "template")
        .unwrap();
    let options = own["config_options"].as_array().unwrap().iter();
    let options: Vec<&str> = options.map(|one| one["key"].as_str().unwrap()).collect();
    assert_eq!(
        options,
        ["webhook_secret", "topic_template", "text_template"]
    );
    assert_eq!(hooks.iter().flat_map(examples).count(), 3);
    for example in examples(own) {
        assert_eq!(
            keys(&example),
            ["body", "name", "text_template", "topic_template"]
        );
        let text = |name: &str| example[name].as_str().unwrap().to_owned();
        let sample = ["topic_template", "text_template", "body"].map(|name| (name, text(name)));
        let sample = sample.each_ref().map(|(name, text)| (*name, text.as_str()));
        let shown = preview(&user, &sample).ok();
        assert_ne!(shown["topic"], "", "{shown:?}");
    }
}
