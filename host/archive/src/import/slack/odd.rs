//! Tests of exports that other tools have written, or that are odd in a part.

use serde_json::{Value, json};

use super::super::testing::{Rows, translated};

/// The rows of an export with one person and one channel, and of these files.
#[track_caller]
fn rows(files: &[(&str, String)]) -> Rows {
    let users = json!([{"id": "U1", "name": "ann", "is_owner": true, "profile": {"real_name": "Ann Lee"}},
        {"id": "UB", "name": "botty", "is_bot": true, "profile": {"bot_id": "B1", "real_name": "Botty"}}]);
    let channels = json!([{"id": "C1", "name": "général", "members": ["U1"]}]);
    let base = [
        ("users.json", users.to_string()),
        ("channels.json", channels.to_string()),
    ];
    let new = files.iter().cloned();
    let base = base
        .into_iter()
        .filter(|(path, _)| !files.iter().any(|(other, _)| other == path));
    translated(&base.chain(new).collect::<Vec<_>>()).unwrap()
}

fn message(text: &str) -> Value {
    json!({"type": "message", "user": "U1", "ts": "1600000000.000100", "text": text})
}

/// The content of the only message.
#[track_caller]
fn content(more: Value) -> String {
    let mut message = message("");
    let object = message.as_object_mut().unwrap();
    object.extend(more.as_object().unwrap().clone());
    let rows = rows(&[("général/2020-09-13.json", json!([message]).to_string())]);
    let contents = rows.contents();
    assert_eq!(contents.len(), 1, "{:?}", rows.notes);
    contents.into_iter().next().unwrap()
}

#[test]
fn files_of_messages_have_any_name() {
    for path in [
        "général/general.json",
        "général/2020-09-13.json",
        "général/2020-09-13_2.json",
        "C1/messages.json",
        "C1.json",
        "général.json",
        "channels/général/2020-09-13.json",
        // Decomposed, as macOS writes it.
        "ge\u{301}ne\u{301}ral/2020-09-13.json",
    ] {
        let rows = rows(&[(path, json!([message("good")]).to_string())]);
        assert_eq!(rows.contents(), ["good"], "{path}: {:?}", rows.notes);
    }
}

#[test]
fn a_conversation_that_is_left_out_is_named() {
    let day = json!([message("lost")]).to_string();
    let rows = rows(&[
        (
            "channels.json",
            json!([null, {"id": 7}, {"id": "C2", "name": "two"}, {"id": "C3", "name": "two"}])
                .to_string(),
        ),
        ("groups.json", "null".to_owned()),
        ("one/2020-09-13.json", day.clone()),
        ("integration_logs.json", "{}".to_owned()),
        ("canvases.json", "[]".to_owned()),
    ]);
    let lost = "files of messages of conversations that are not in the archive were left out (one)";
    for (note, times) in [
        (lost, 1),
        ("channels without a name were left out", 2),
        ("files of channels that are not lists were left out", 1),
        ("files of no known kind were left out", 1),
        (
            "conversations that have the name of another one: messages in a folder of that name belong to the first",
            1,
        ),
    ] {
        assert_eq!(
            rows.notes.get(note),
            Some(&times),
            "{note}: {:?}",
            rows.notes
        );
    }
    let many: Vec<(String, String)> = (0..30)
        .map(|number| (format!("lost {number}/2020-09-13.json"), day.clone()))
        .collect();
    let many: Vec<(&str, String)> = many
        .iter()
        .map(|(path, day)| (path.as_str(), day.clone()))
        .collect();
    let rows = self::rows(&many);
    let notes = rows
        .notes
        .keys()
        .filter(|note| note.starts_with("files of messages of conversations"));
    assert_eq!(notes.count(), 21);
}

#[test]
fn an_odd_message_hides_no_other() {
    let odd = [
        "null",
        "7",
        "[]",
        "{\"ts\":}",
        "{\"ts\": 1600000000.5, \"user\": \"U1\", \"text\": 7, \"files\": [null]}",
        "{\"ts\": \"1600000001.1\", \"user\": {\"id\": \"U1\"}, \"text\": \"x\"}",
        "{\"ts\": \"1600000002.1\", \"user\": \"U1\", \"text\": \"a\\ud83d\", \"reactions\": {}, \"blocks\": \"x\", \"attachments\": [3]}",
    ];
    let day = format!("[{}, {}]", odd.join(","), message("good"));
    let rows = rows(&[("général/2020-09-13.json", day)]);
    assert_eq!(rows.contents(), ["good", "7", "a\u{fffd}"]);
    for (note, times) in [
        ("messages that are not valid JSON were left out", 1),
        ("messages without a sender were left out", 1),
        ("messages without a time were left out", 3),
        ("texts of messages lost characters that are not valid", 1),
        ("files that Slack does not have any more were left out", 1),
    ] {
        assert_eq!(
            rows.notes.get(note),
            Some(&times),
            "{note}: {:?}",
            rows.notes
        );
    }
}

#[test]
fn blocks_are_what_people_saw() {
    let section = |text: &str| json!({"type": "section", "text": {"type": "mrkdwn", "text": text}});
    let of_bot = json!({"user": null, "bot_id": "B1", "subtype": "bot_message",
        "text": "This content can't be displayed.", "blocks": [section("the *real* body")]});
    assert_eq!(content(of_bot), "the **real** body");
    // The text says what is unknown here.
    let unknown = json!({"text": "said", "blocks": [{"type": "future"}, section("shown")]});
    assert_eq!(content(unknown), "said\n\nshown");
    assert_eq!(
        content(json!({"text": "said", "blocks": [{"type": "divider"}]})),
        "said"
    );
    let all = json!({"text": "for notices", "blocks": [
        {"type": "header", "text": {"type": "plain_text", "text": "A &amp; *B*"}},
        {"type": "section", "fields": [{"type": "mrkdwn", "text": "*x*"}, {"type": "plain_text", "text": "1 &lt; 2"}],
            "accessory": {"type": "button", "text": {"type": "plain_text", "text": "Open"}, "url": "https://x.org/?a&amp;b"}},
        {"type": "context", "elements": [{"type": "image", "image_url": "https://x.org/i.png", "alt_text": "icon"},
            {"type": "mrkdwn", "text": "by <@U1>"}]},
        {"type": "image", "slack_file": {"url": "https://x.org/f.png"}, "title": {"type": "plain_text", "text": "Plan"}},
        {"type": "video", "title": {"type": "plain_text", "text": "Film"}, "title_url": "https://x.org/v"},
        {"type": "markdown", "text": "**md**"},
        {"type": "table", "rows": [[{"type": "raw_text", "text": "h|1"}], [{"type": "rich_text", "elements": [
            {"type": "rich_text_section", "elements": [{"type": "text", "text": "c", "style": {"bold": true}}]}]}]]},
        {"type": "actions", "elements": [{"type": "button", "text": {"type": "plain_text", "text": "Go"}, "url": "https://x.org/go"},
            {"type": "button", "text": {"type": "plain_text", "text": "Approve"}}]}]});
    assert_eq!(
        content(all),
        "**A & B**\n\n**x**\n1 < 2\n[Open](https://x.org/?a&b)\n\n[icon](https://x.org/i.png)\nby @**Ann Lee|1**\n\n\
         [Plan](https://x.org/f.png)\n\n[Film](https://x.org/v)\n\n**md**\n\n| h/1 |\n|---|\n| **c** |\n\n[Go](https://x.org/go)"
    );
}

#[test]
fn attachments_have_blocks_and_fields() {
    let section = json!({"type": "section", "text": {"type": "mrkdwn", "text": "_in_ a block"}});
    let attachment = json!({"text": "see", "attachments": [{"fallback": "[no preview available]", "title": "T",
        "fields": [{"title": "Count", "value": 7}, {"title": 8, "value": true}, {"title": "None", "value": null}],
        "blocks": [section]}]});
    assert_eq!(
        content(attachment),
        "see\n\n**T**\n\n**Count**: 7\n\n**8**: true\n\n**None**:\n\n*in* a block"
    );
    let shared = json!({"text": "look", "attachments": [{"is_msg_unfurl": true, "author_name": "Bob", "text": "in a block",
        "message_blocks": [{"message": {"blocks": [section]}}]}]});
    assert_eq!(content(shared), "look\n\nBob:\n> *in* a block");
}
