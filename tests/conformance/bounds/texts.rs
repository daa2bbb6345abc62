//! No text that other people receive holds an invisible character (docs/protocol/limits.md#printable):
//! each text of the OpenAPI document is sent with one, and every answer is searched for it.

use serde_json::{Value, json};
use spindle_tests::{Options, Server, User};

use super::parameters::{Stage, is, parameters, variants};

/// A control character, one that turns the direction of text, one without a meaning, and a space
/// without width.
const BAD: [char; 4] = ['\u{1}', '\u{202E}', '\u{E000}', '\u{200B}'];

/// What clients read, for everybody.
const SNAPSHOTS: [(&str, &[(&str, &str)]); 9] = [
    ("/streams", &[("include_all", "true")]),
    ("/users", &[("include_custom_profile_fields", "true")]),
    ("/user_groups", &[("include_deactivated_groups", "true")]),
    ("/channel_folders", &[("include_archived", "true")]),
    ("/realm/profile_fields", &[]),
    ("/realm/emoji", &[]),
    ("/realm/linkifiers", &[]),
    ("/bots", &[]),
    ("/invites", &[]),
];

/// Texts that only their owners receive or that are not shown as names: content of messages is
/// what was sent, but for control characters.
fn is_content(name: &str) -> bool {
    matches!(
        name,
        "content" | "note" | "topic" | "topic_name" | "subject" | "welcome_message_custom_text"
    )
}

/// The places of a JSON value where a text holds one of the characters.
fn found(value: &Value, place: &str, bad: char, places: &mut Vec<String>) {
    match value {
        Value::String(text) if text.contains(bad) => places.push(format!("{place}: {text:?}")),
        Value::Array(list) => {
            for one in list {
                found(one, place, bad, places);
            }
        }
        Value::Object(entries) => {
            for (key, one) in entries {
                found(one, &format!("{place}.{key}"), bad, places);
                if key.contains(bad) {
                    places.push(format!("{place}: {key:?}"));
                }
            }
        }
        _ => {}
    }
}

fn search(user: &User, bad: char) -> Vec<String> {
    let mut places = Vec::new();
    let registered = user.post("/register", &[]).ok();
    found(&registered, "register", bad, &mut places);
    for (path, pairs) in SNAPSHOTS {
        found(&user.get(path, pairs).ok(), path, bad, &mut places);
    }
    places
}

#[test]
fn no_parameter_puts_an_invisible_character_into_a_snapshot() {
    let server = Server::own(Options::default());
    let stage = Stage::new(&server);
    let all = parameters();
    let mut sent = 0;
    for bad in BAD {
        for parameter in all.iter().filter(|one| !one.is_in_path) {
            // Topics and content may hold characters of direction.
            if is_content(&parameter.name) && bad != '\u{1}' {
                continue;
            }
            for schema in variants(&parameter.schema) {
                let text = format!("a{bad}b");
                let text = match &schema {
                    schema if is(schema, "array") => json!([text]).to_string(),
                    schema if is(schema, "string") && parameter.is_json => json!(text).to_string(),
                    schema if is(schema, "string") => text,
                    _ => continue,
                };
                let reply = stage.call(&all, parameter, &text);
                sent += 1;
                let place = format!("{} {}", parameter.operation.id, parameter.name);
                assert!(reply.status < 500, "{place}: {}", reply.status);
            }
        }
        let places = search(&stage.owner, bad);
        assert!(places.is_empty(), "{bad:?}: {places:#?}");
    }
    assert!(sent > 400, "{sent} requests");
}

/// Texts within lists and objects.
#[test]
fn no_list_puts_an_invisible_character_into_a_snapshot() {
    let server = Server::own(Options::default());
    let owner = server.user("owner");
    let field = owner
        .post(
            "/realm/profile_fields",
            &[("name", "Pet"), ("field_type", "1")],
        )
        .ok()["id"]
        .clone();
    for bad in BAD {
        let text = format!("a{bad}b");
        let choice = json!({"1": {"text": text, "order": "1"}}).to_string();
        let key = json!({text.clone(): {"text": "x", "order": "1"}}).to_string();
        let named = json!([{"name": text}]).to_string();
        let described = json!([{"name": "plain", "description": text}]).to_string();
        let value = json!([{"id": field, "value": text}]).to_string();
        let words = json!([text]).to_string();
        let menu = [("name", "Menu"), ("field_type", "3")];
        let with = |data| [&menu[..], &[("field_data", data)]].concat();
        let refused = [
            owner.post("/realm/profile_fields", &with(&choice)),
            owner.post("/realm/profile_fields", &with(&key)),
            owner.post("/users/me/subscriptions", &[("subscriptions", &named)]),
            owner.post("/users/me/subscriptions", &[("subscriptions", &described)]),
            owner.patch("/users/me/profile_data", &[("data", &value)]),
            owner.post("/users/me/alert_words", &[("alert_words", &words)]),
        ];
        for reply in refused {
            reply.bad_request();
        }
        let places = search(&owner, bad);
        assert!(places.is_empty(), "{bad:?}: {places:#?}");
    }
}

/// Bots send terminal output: control characters in content are replaced, not refused.
#[test]
fn content_shows_control_characters() {
    const SENT: &str = "a\r\nb\u{1b}[0m\tc\rd";
    const STORED: &str = "a\nb\u{FFFD}[0m\tc\nd";
    let user = Server::shared().user("member");
    let to = json!([user.user_id]).to_string();
    let pairs = [("type", "direct"), ("to", &*to), ("content", SENT)];
    let id = user.post("/messages", &pairs).ok()["id"].to_string();
    let path = format!("/messages/{id}");
    let raw = || user.get(&path, &[("apply_markdown", "false")]).ok()["message"]["content"].clone();
    assert_eq!(raw(), STORED);
    user.patch(&path, &[("content", &format!("{SENT}!"))]).ok();
    assert_eq!(raw(), format!("{STORED}!"));
    let draft = json!([{"type": "", "to": [], "topic": "", "content": SENT}]).to_string();
    user.post("/drafts", &[("drafts", &draft)]).ok();
    let drafts = user.get("/drafts", &[]).ok();
    assert_eq!(drafts["drafts"][0]["content"], STORED);
    let later = ("scheduled_delivery_timestamp", "4000000000");
    user.post("/scheduled_messages", &[&pairs[..], &[later]].concat())
        .ok();
    let scheduled = user.get("/scheduled_messages", &[]).ok();
    assert_eq!(scheduled["scheduled_messages"][0]["content"], STORED);
    let reminder = [("message_id", id.as_str()), later, ("note", SENT)];
    user.post("/reminders", &reminder).ok();
    let reminders = user.get("/reminders", &[]).ok();
    let content = reminders["reminders"][0]["content"].to_string();
    assert!(
        !content.contains("\\u001b") && !content.contains("\\r"),
        "{content}"
    );
    let snippet = [("title", "t"), ("content", SENT)];
    user.post("/saved_snippets", &snippet).ok();
    let snippets = user.get("/saved_snippets", &[]).ok();
    assert_eq!(snippets["saved_snippets"][0]["content"], STORED);
}

#[test]
fn a_bad_character_is_named_by_its_position_and_nothing_changes() {
    let owner = Server::shared().user("owner");
    let reply = owner.post(
        "/users/me/subscriptions",
        &[("subscriptions", r#"[{"name": " ab\u0007"}]"#)],
    );
    let msg = reply.bad_request()["msg"].clone();
    assert_eq!(msg, "Character 3 of the name cannot be printed");
    let reply = owner.patch("/settings", &[("full_name", "Ann\u{202E}Lee")]);
    let msg = reply.bad_request()["msg"].clone();
    assert_eq!(msg, "Character 4 of the name cannot be printed");
    let own = owner.get("/users/me", &[]).ok();
    assert_eq!(own["full_name"], owner.full_name);
}
