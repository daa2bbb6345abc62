//! POST /messages: parameters, recipients, limits (docs/protocol/conventions.md#parameters,
//! docs/protocol/limits.md#text, docs/protocol/clients.md#transport,
//! docs/protocol/clients.md#python, docs/protocol/clients.md#rust,
//! docs/protocol/messages.md#send_message).

use serde_json::json;
use spindle_tests::Call;
use spindle_tests::fixture::{self, ChannelKind};

use super::{direct, read, to_channel};
use crate::support::{keys, server};

#[test]
fn the_answer_is_the_id() {
    let user = server().user("member");
    let id = direct(&user, &[&user], "first");
    let to = format!("[{}]", user.id());
    let pairs = [
        ("type", "direct"),
        ("to", to.as_str()),
        ("content", "second"),
    ];
    let body = user.post("/messages", &pairs).ok();
    assert!(body["id"].as_i64().unwrap() > id);
    let mut found = keys(&body);
    found.retain(|key| *key != "automatic_new_visibility_policy");
    assert_eq!(found, ["id", "msg", "result"]);
}

/// Every way in which known clients write the channel.
#[test]
fn a_channel_is_given_by_name_or_id() {
    let user = server().user("member");
    let channel = fixture::channel(server(), ChannelKind::Public, &[&user]);
    let id = channel.id();
    let quoted = json!(channel.name).to_string();
    let list = json!([channel.name]).to_string();
    let id_list = format!("[{id}]");
    let upper = channel.name.to_uppercase();
    for to in [&id, &channel.name, &quoted, &list, &id_list, &upper] {
        for kind in ["channel", "stream"] {
            let pairs = [
                ("type", kind),
                ("to", to.as_str()),
                ("topic", "t"),
                ("content", "x"),
            ];
            let sent = user.post("/messages", &pairs).ok()["id"].as_i64().unwrap();
            assert_eq!(read(&user, sent)["stream_id"], channel.stream_id, "{to}");
        }
    }
}

#[test]
fn recipients_are_ids_or_addresses() {
    let user = server().user("member");
    let one = server().user("member");
    let two = server().user("member");
    for to in [
        json!([one.user_id, two.user_id]).to_string(),
        json!([one.email, two.email]).to_string(),
        format!("{},{}", one.email, two.email),
        format!("{}, {}", one.email, two.email),
        json!([one.user_id, two.user_id, one.user_id, user.user_id]).to_string(),
    ] {
        for kind in ["direct", "private"] {
            let pairs = [("type", kind), ("to", to.as_str()), ("content", "x")];
            let id = user.post("/messages", &pairs).ok()["id"].as_i64().unwrap();
            let message = read(&two, id);
            assert_eq!(message["type"], "private");
            let people = message["display_recipient"].as_array().unwrap();
            assert_eq!(people.len(), 3, "{to}: the sender is among them");
        }
    }
    let pairs = [
        ("type", "private"),
        ("to", one.email.as_str()),
        ("content", "x"),
    ];
    let id = user.post("/messages", &pairs).ok()["id"].as_i64().unwrap();
    assert_eq!(
        read(&one, id)["display_recipient"]
            .as_array()
            .unwrap()
            .len(),
        2
    );
}

#[test]
fn subject_is_another_name_of_topic_but_not_both() {
    let user = server().user("member");
    let channel = fixture::channel(server(), ChannelKind::Public, &[&user]);
    let to = channel.id();
    let base = [("type", "stream"), ("to", to.as_str()), ("content", "x")];
    let mut pairs = base.to_vec();
    pairs.push(("subject", "legacy"));
    let reply = user.post("/messages", &pairs);
    assert!(reply.ignored().is_empty());
    let id = reply.ok()["id"].as_i64().unwrap();
    assert_eq!(read(&user, id)["subject"], "legacy");
    pairs.push(("topic", "both"));
    let error = user
        .post("/messages", &pairs)
        .error(400, "REQUEST_CONFUSING_VAR");
    let mut names = [
        error["var_name1"].as_str().unwrap(),
        error["var_name2"].as_str().unwrap(),
    ];
    names.sort_unstable();
    assert_eq!(names, ["subject", "topic"]);
}

#[test]
fn missing_and_wrong_parameters_are_refused() {
    let user = server().user("member");
    let to = format!("[{}]", user.id());
    for (pairs, missing) in [
        (vec![("to", to.as_str()), ("content", "x")], "type"),
        (vec![("type", "direct"), ("content", "x")], "to"),
        (vec![("type", "direct"), ("to", to.as_str())], "content"),
    ] {
        let error = user
            .post("/messages", &pairs)
            .error(400, "REQUEST_VARIABLE_MISSING");
        assert_eq!(error["var_name"], missing);
    }
    for kind in ["", "Direct", "\"direct\"", "huddle", "personal"] {
        let pairs = [("type", kind), ("to", to.as_str()), ("content", "x")];
        user.post("/messages", &pairs).bad_request();
    }
}

#[test]
fn recipients_must_exist_and_not_be_empty() {
    let user = server().user("member");
    let gone = server().user("member");
    server().admin(&["user", "deactivate", "--email", &gone.email]);
    for to in [
        "[]".to_owned(),
        String::new(),
        "[99999999]".to_owned(),
        "[\"nobody@example.com\"]".to_owned(),
        "nobody@example.com".to_owned(),
        format!("[{}, \"{}\"]", user.id(), user.email),
        format!("[{}]", gone.id()),
        "[1.5]".to_owned(),
        "{}".to_owned(),
        "[null]".to_owned(),
        "[[1]]".to_owned(),
        "[true]".to_owned(),
        "[-1]".to_owned(),
    ] {
        let pairs = [("type", "direct"), ("to", to.as_str()), ("content", "x")];
        user.post("/messages", &pairs).bad_request();
    }
}

/// Clients search for the quoted address behind this word.
#[test]
fn an_unknown_address_is_named_in_the_error() {
    let user = server().user("member");
    for to in ["no'body@example.com", "[\"no'body@example.com\"]"] {
        let pairs = [("type", "direct"), ("to", to), ("content", "x")];
        let error = user.post("/messages", &pairs).bad_request();
        let text = error["msg"].as_str().unwrap();
        assert!(text.contains("email 'no'body@example.com'"), "{text}");
    }
}

#[test]
fn an_unknown_channel_is_named_in_the_error() {
    let user = server().user("member");
    let post = |to: &str| {
        let pairs = [
            ("type", "channel"),
            ("to", to),
            ("topic", "t"),
            ("content", "x"),
        ];
        user.post("/messages", &pairs)
            .error(400, "STREAM_DOES_NOT_EXIST")
    };
    let error = post("99999999");
    assert_eq!(error["stream_id"], 99_999_999);
    assert_eq!(keys(&error), ["code", "msg", "result", "stream_id"]);
    let error = post("no such channel");
    assert_eq!(error["stream"], "no such channel");
    assert_eq!(keys(&error), ["code", "msg", "result", "stream"]);
    post("");
}

#[test]
fn content_is_trimmed_and_never_empty() {
    let user = server().user("member");
    let to = format!("[{}]", user.id());
    for content in ["", "   ", "\n\n", "a\u{0}b"] {
        let pairs = [
            ("type", "direct"),
            ("to", to.as_str()),
            ("content", content),
        ];
        user.post("/messages", &pairs).bad_request();
    }
    let id = direct(&user, &[&user], "\n\n  kept spaces\nand lines  \n\n");
    let raw = user
        .get(&format!("/messages/{id}"), &[("apply_markdown", "false")])
        .ok();
    assert_eq!(raw["message"]["content"], "  kept spaces\nand lines");
}

/// Longer texts are cut to 10,000 code points, not refused; code points are counted, not bytes.
#[test]
fn long_content_is_cut() {
    let user = server().user("member");
    let exact = "é".repeat(10_000);
    let id = direct(&user, &[&user], &exact);
    let path = format!("/messages/{id}");
    let raw = [("apply_markdown", "false")];
    assert_eq!(
        user.get(&path, &raw).ok()["message"]["content"],
        exact.as_str()
    );
    let id = direct(&user, &[&user], &"é".repeat(10_001));
    let cut = user.get(&format!("/messages/{id}"), &raw).ok();
    let content = cut["message"]["content"].as_str().unwrap();
    assert_eq!(content.chars().count(), 10_000);
    assert!(content.starts_with("éé") && content.ends_with("é\n[message truncated]"));
}

#[test]
fn topics_are_trimmed_cut_and_printable() {
    let user = server().user("member");
    let channel = fixture::channel(server(), ChannelKind::Public, &[&user]);
    let id = to_channel(&user, &channel, "  spaced  ", "x");
    assert_eq!(read(&user, id)["subject"], "spaced");
    let id = to_channel(&user, &channel, &"ü".repeat(60), "x");
    assert_eq!(read(&user, id)["subject"], "ü".repeat(60));
    let id = to_channel(&user, &channel, &"ü".repeat(61), "x");
    assert_eq!(read(&user, id)["subject"], format!("{}...", "ü".repeat(57)));
    let to = channel.id();
    for topic in ["a\u{7}b", "a\nb", "a\u{0}b", "a\u{fdd0}b"] {
        let pairs = [
            ("type", "channel"),
            ("to", to.as_str()),
            ("topic", topic),
            ("content", "x"),
        ];
        user.post("/messages", &pairs).bad_request();
    }
}

/// Both spellings of "no topic" become the empty topic.
#[test]
fn the_empty_topic_has_three_spellings() {
    let user = server().user("member");
    let channel = fixture::channel(server(), ChannelKind::Public, &[&user]);
    for topic in ["", "(no topic)", "general chat"] {
        let id = to_channel(&user, &channel, topic, "x");
        let path = format!("/messages/{id}");
        let message = user.get(&path, &[("allow_empty_topic_name", "true")]).ok();
        assert_eq!(message["message"]["subject"], "", "{topic}");
        assert_eq!(read(&user, id)["subject"], "general chat");
    }
}

/// A missing topic is an error of the client; an empty topic is valid.
#[test]
fn a_channel_message_without_a_topic_is_refused() {
    let user = server().user("member");
    let channel = fixture::channel(server(), ChannelKind::Public, &[&user]);
    let to = channel.id();
    let pairs = [("type", "channel"), ("to", to.as_str()), ("content", "x")];
    let error = user.post("/messages", &pairs).bad_request();
    assert!(error["msg"].as_str().unwrap().starts_with("Missing topic"));
    fixture::channel_column(server(), &channel, "topics_policy", &"empty_topic_only");
    user.post("/messages", &pairs).bad_request();
    for name in ["topic", "subject"] {
        let pairs = [&pairs[..], &[(name, "")]].concat();
        user.post("/messages", &pairs).ok();
    }
}

#[test]
fn the_topics_policy_of_the_channel_applies() {
    let user = server().user("member");
    let channel = fixture::channel(server(), ChannelKind::Public, &[&user]);
    let post = |topic: &str| {
        let to = channel.id();
        let pairs = [
            ("type", "channel"),
            ("to", to.as_str()),
            ("topic", topic),
            ("content", "x"),
        ];
        user.post("/messages", &pairs)
    };
    fixture::channel_column(server(), &channel, "topics_policy", &"disable_empty_topic");
    post("named").ok();
    post("").bad_request();
    post("(no topic)").bad_request();
    fixture::channel_column(server(), &channel, "topics_policy", &"empty_topic_only");
    post("").ok();
    post("named").bad_request();
    fixture::channel_column(server(), &channel, "topics_policy", &"allow_empty_topic");
    post("").ok();
    post("named").ok();
}

#[test]
fn direct_messages_have_no_topic() {
    let user = server().user("member");
    let to = format!("[{}]", user.id());
    let pairs = [
        ("type", "direct"),
        ("to", to.as_str()),
        ("topic", "ignored"),
        ("content", "x"),
    ];
    let id = user.post("/messages", &pairs).ok()["id"].as_i64().unwrap();
    assert_eq!(read(&user, id)["subject"], "");
}

#[test]
fn multipart_bodies_are_accepted() {
    let user = server().user("member");
    let to = format!("[{}]", user.id());
    let pairs = [
        ("type", "direct"),
        ("to", to.as_str()),
        ("content", "línea\r\ntwo & 2=3"),
    ];
    let reply = user.send(Call::new("POST", "/messages").multipart(&pairs));
    let id = reply.ok()["id"].as_i64().unwrap();
    let raw = user
        .get(&format!("/messages/{id}"), &[("apply_markdown", "false")])
        .ok();
    let content = raw["message"]["content"].as_str().unwrap();
    assert_eq!(content.replace("\r\n", "\n"), "línea\ntwo & 2=3");
}

#[test]
fn read_by_sender_sets_whether_the_message_is_read() {
    let user = server().user("member");
    let to = format!("[{}]", user.id());
    for (said, expected) in [("true", true), ("false", false)] {
        let pairs = [
            ("type", "direct"),
            ("to", to.as_str()),
            ("content", "x"),
            ("read_by_sender", said),
        ];
        let id = user.post("/messages", &pairs).ok()["id"].as_i64().unwrap();
        let flags = read(&user, id)["flags"].clone();
        assert_eq!(
            flags.as_array().unwrap().contains(&json!("read")),
            expected,
            "{said}: {flags}"
        );
    }
    let pairs = [
        ("type", "direct"),
        ("to", to.as_str()),
        ("content", "x"),
        ("read_by_sender", "1"),
    ];
    user.post("/messages", &pairs).bad_request();
}
