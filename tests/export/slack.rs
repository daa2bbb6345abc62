//! A workspace export of Slack, imported into an empty data directory and read through the API.

use serde_json::{Value, json};

use crate::chats::{Files, has_people, json_file, login, members, picture, read, zip};
use crate::support::{Folder, fetch, messages, names, objects, serve, summary};

const DAY: &str = "general/2023-11-14.json";

/// A message with a time in the first minute and a half of the archive.
fn message(second: u32, user: &str, text: &str) -> Value {
    json!({"type": "message", "user": user, "text": text, "ts": format!("17000001{second:02}.000100")})
}

fn with(mut message: Value, more: Value) -> Value {
    let object = message.as_object_mut().unwrap();
    object.extend(more.as_object().unwrap().clone());
    message
}

fn person(id: &str, name: &str, more: Value) -> Value {
    let base = json!({"id": id, "team_id": "T1", "name": name, "deleted": false, "real_name": name,
        "profile": {"real_name": name, "email": format!("{name}@x.org")}});
    with(base, more)
}

/// An export as Slack writes it, with the folder of files that other tools add.
pub fn export() -> Files {
    let thread = json!({"thread_ts": "1700000101.000100"});
    let in_thread = |message: Value| with(message, thread.clone());
    let reactions = json!({"reactions": [{"name": "thumbsup", "users": ["U1", "U3"], "count": 2},
        {"name": "parrot", "users": ["U2"], "count": 1}]});
    let file = |id: &str, name: &str| {
        json!({"id": id, "name": name, "mimetype": "text/plain", "size": 9,
            "url_private": format!("https://files.slack.com/files-pri/T1-{id}/{name}?t=xoxe-secret")})
    };
    let files = json!({"files": [file("F1", "plan v2.txt"), file("F2", "lost.pdf")]});
    vec![
        json_file(
            "users.json",
            &json!([
                person(
                    "U1",
                    "ann",
                    json!({"is_owner": true, "is_primary_owner": true})
                ),
                person("U2", "bob", json!({})),
                person("U3", "cid", json!({"is_restricted": true})),
                person("U4", "dan", json!({"deleted": true})),
                person(
                    "U5",
                    "bot",
                    json!({"is_bot": true, "profile": {"bot_id": "B5", "real_name": "CI"}})
                ),
                person("U6", "eve", json!({"profile": {"real_name": "Eve"}})),
            ]),
        ),
        json_file(
            "channels.json",
            &json!([
                {"id": "C1", "name": "general", "created": 1_690_000_000, "creator": "U1",
                 "is_archived": false, "is_general": true, "members": ["U1", "U2", "U3", "U4"],
                 "purpose": {"value": "Everything"}, "topic": {"value": ""}},
                {"id": "C2", "name": "attic", "created": 1_690_000_000, "creator": "U1",
                 "is_archived": true, "is_general": false, "members": ["U1"]},
            ]),
        ),
        json_file(
            "groups.json",
            &json!([{"id": "G1", "name": "board", "created": 1_690_000_000, "creator": "U1",
                "is_archived": false, "members": ["U1", "U2"]}]),
        ),
        json_file("dms.json", &json!([{"id": "D1", "members": ["U1", "U2"]}])),
        json_file(
            "mpims.json",
            &json!([{"id": "G9", "name": "mpdm-ann--bob--cid-1", "members": ["U1", "U2", "U3"]}]),
        ),
        json_file("integration_logs.json", &json!([])),
        json_file(
            "general/2023-11-15.json",
            &json!([in_thread(message(60, "U2", "a day later, *really*"))]),
        ),
        json_file(
            DAY,
            &json!([
                in_thread(message(1, "U1", "Who goes to <#C1|general>, <@U2>?")),
                with(
                    message(2, "U2", "hello &amp; <https://x.org|welcome>"),
                    reactions
                ),
                in_thread(message(3, "U3", "me")),
                with(message(4, "U4", "see"), files),
                with(
                    message(5, "U1", "<@U1> has joined"),
                    json!({"subtype": "channel_join"})
                ),
                with(
                    message(6, "", "build passed"),
                    json!({"subtype": "bot_message", "user": null, "bot_id": "B5"})
                ),
            ]),
        ),
        json_file(
            "board/2023-11-14.json",
            &json!([message(10, "U1", "between us")]),
        ),
        json_file("D1/2023-11-14.json", &json!([message(11, "U2", "to ann")])),
        json_file(
            "mpdm-ann--bob--cid-1/2023-11-14.json",
            &json!([message(12, "U3", "to both")]),
        ),
        ("__uploads/F1/plan v2.txt".to_owned(), b"the plan!".to_vec()),
        ("emoji/parrot.png".to_owned(), picture()),
        ("__avatars/U1/ann.png".to_owned(), picture()),
    ]
}

#[test]
fn an_export_of_slack_is_imported() {
    let (server, summary) = serve(
        &zip(&export()),
        &["--name", "Acme", "--email-domain", "acme.example"],
    );
    assert_eq!(summary["origin"], "Slack");
    let left_out = summary["left_out"].to_string();
    assert!(left_out.contains("passwords"), "{left_out}");
    for (note, times) in [
        ("notices of Slack were left out", 1),
        (
            "files that are not in the archive are links to where they were",
            1,
        ),
        ("people without an address got one (… @acme.example)", 1),
    ] {
        assert_eq!(summary["notes"][note], times, "{summary}");
    }
    let [ann, bob, cid] =
        ["ann", "bob", "cid"].map(|name| login(&server, &format!("{name}@x.org")));
    assert_eq!(ann.get("/server_settings", &[]).ok()["realm_name"], "Acme");

    // Users.
    let columns = ["user_id", "role", "is_active", "is_bot"];
    let expected = [
        "1 100 true false",
        "2 400 true false",
        "3 600 true false",
        "4 400 false false",
        "5 400 true true",
        "6 400 true false",
    ];
    has_people(&ann, columns, &expected);
    login(&server, "eve@acme.example");

    // Channels and their subscribers.
    let mut channels = names(&bob, "/users/me/subscriptions", &[], "subscriptions");
    channels.sort();
    assert_eq!(channels, ["board", "general"]);
    let of_cid = names(&cid, "/users/me/subscriptions", &[], "subscriptions");
    assert_eq!(of_cid, ["general"]);
    assert_eq!(members(&ann, "board"), [1, 2]);
    assert_eq!(members(&ann, "general"), [1, 2, 3]);

    // Messages in their order, threads as topics.
    let general = "imported from Slack".to_owned();
    let thread = "Who goes to #general, @bob?".to_owned();
    let place = |place: &str, text: &str| (place.to_owned(), text.to_owned());
    let all = read(&bob);
    let (files, rest): (Vec<_>, Vec<_>) =
        all.into_iter().partition(|(_, it)| it.starts_with("see"));
    assert_eq!(
        rest,
        [
            place(&thread, "Who goes to #**general**, @**bob|2**?"),
            place(&general, "hello & [welcome](https://x.org)"),
            place(&thread, "me"),
            place(&general, "build passed"),
            place(&general, "between us"),
            place("direct of 2", "to ann"),
            place("direct of 3", "to both"),
            place(&thread, "a day later, **really**"),
        ]
    );
    let of_cid: Vec<String> = read(&cid).into_iter().map(|(_, text)| text).collect();
    assert!(!of_cid.contains(&"between us".to_owned()) && !of_cid.contains(&"to ann".to_owned()));
    assert!(of_cid.contains(&"to both".to_owned()));

    // HTML, mentions, flags.
    let html = messages(&bob, "true");
    let first = &html[0];
    let content = first["content"].as_str().unwrap();
    assert!(
        content.contains("data-user-id=\"2\"") && content.contains("class=\"stream\""),
        "{content}"
    );
    assert_eq!(first["flags"], json!(["read", "mentioned"]));
    assert_eq!(first["timestamp"], 1_700_000_101);

    // Reactions, of which one is a custom emoji.
    let reactions: Vec<String> = html[1]["reactions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| {
            format!(
                "{} {} {}",
                it["user_id"], it["emoji_name"], it["reaction_type"]
            )
        })
        .collect();
    assert_eq!(
        reactions,
        [
            "1 \"+1\" \"unicode_emoji\"",
            "3 \"+1\" \"unicode_emoji\"",
            "2 \"parrot\" \"realm_emoji\""
        ]
    );
    let emoji = ann.get("/realm/emoji", &[]).ok();
    let source = emoji["emoji"]["1"]["source_url"]
        .as_str()
        .unwrap()
        .to_owned();
    assert_eq!(fetch(&bob, &source), (200, picture()));
    let face = ann.get("/users/me", &[]).ok()["avatar_url"].clone();
    assert_eq!(fetch(&bob, face.as_str().unwrap()), (200, picture()));

    // A file in the archive, and one that only Slack has.
    let (_, text) = &files[0];
    let path = text.split_once("](").unwrap().1.split_once(')').unwrap().0;
    assert_eq!(fetch(&bob, path), (200, b"the plan!".to_vec()));
    assert!(
        text.contains("[lost.pdf](https://files.slack.com/files-pri/T1-F2/lost.pdf)"),
        "{text}"
    );
    assert_eq!(fetch(&login(&server, "eve@acme.example"), path).0, 200);

    // New messages are accepted, and found.
    let sent = bob.post(
        "/messages",
        &[
            ("type", "channel"),
            ("to", "\"general\""),
            ("topic", &thread),
            ("content", "and now"),
        ],
    );
    sent.ok();
    let narrow = json!([{"operator": "search", "operand": "later"}]).to_string();
    let pairs = [
        ("anchor", "newest"),
        ("num_before", "5"),
        ("num_after", "0"),
        ("narrow", &narrow),
    ];
    let found = objects(&bob, "/messages", &pairs, "messages", &[]);
    assert_eq!(found.as_array().unwrap().len(), 1);
    assert_eq!(server.admin(&["check"])["sound"], true);
}

#[test]
fn an_invalid_export_is_refused_and_changes_nothing() {
    let refused = |files: &Files, flags: &[&str], reason: &str| {
        let folder = Folder::new();
        let output = folder.import(&zip(files), flags);
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(
            !output.status.success() && errors.contains(reason),
            "{reason}: {errors}"
        );
        assert_eq!(errors.trim().lines().count(), 1, "{errors}");
        assert!(!folder.data().exists(), "{reason}");
    };
    let plus = |path: &str, content: &[u8]| {
        let mut files = export();
        files.retain(|(existing, _)| existing != path);
        files.push((path.to_owned(), content.to_vec()));
        files
    };
    for path in ["../evil", "/tmp/evil", "general/../../evil", "a\\..\\b"] {
        refused(&plus(path, b"x"), &[], "cannot be read");
    }
    refused(
        &vec![json_file("notes.json", &json!([]))],
        &[],
        "neither an export of Slack",
    );
    refused(&plus("users.json", b"{}"), &[], "not a list of people");
    let long = format!("[\"{}\"]", "x".repeat(20 << 20));
    refused(
        &plus(DAY, long.as_bytes()),
        &[],
        "larger than 16777216 bytes",
    );
    refused(&export(), &["--max-gib", "0"], "--max-gib");
    refused(
        &export(),
        &["--email-domain", "no domain"],
        "not the domain",
    );
    let bytes = zip(&export());
    let folder = Folder::new();
    for bad in [
        &bytes[..bytes.len() / 2],
        b"PK\x03\x04",
        b"PK\x05\x06 and nothing",
    ] {
        let output = folder.import(bad, &[]);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(
            !output.status.success() && errors.contains("cannot be read"),
            "{errors}"
        );
        assert!(!folder.data().exists());
    }
    // Without an owner.
    let users = json!([person("U1", "ann", json!({}))]);
    let without = plus("users.json", users.to_string().as_bytes());
    refused(&without, &[], "--owner");
    let folder = Folder::new();
    let imported = summary(&folder.import(&zip(&without), &["--owner", "ann@x.org"]));
    assert_eq!(imported["origin"], "Slack");
}

/// Each is one odd file, list or message among good ones (rusq/slackdump#110, hfaran/slack-export-viewer#225 and others).
#[test]
fn odd_parts_of_an_export_are_left_out_and_counted() {
    let mut files = export();
    let mut put = |path: &str, content: &[u8]| {
        files.retain(|(existing, _)| existing != path);
        files.push((path.to_owned(), content.to_vec()));
    };
    put("dms.json", b"null");
    put(
        "general/general.json",
        br#"[{"type":"message","user":"U1","ts":1700000150.5,"text":"of one file"}]"#,
    );
    put(
        "general/2023-11-16.json",
        br#"[{"type":"message","user":"U1","ts":"1700000160.1","text":"cut \ud83d"},{"ts":},null,
            {"type":"message","user":"U99","ts":"1700000161.1","text":"after"},{"type":"mess"#,
    );
    put("elsewhere/2023-11-16.json", b"[]");
    put("notes.txt", b"x");
    let (server, summary) = serve(&zip(&files), &[]);
    let notes = &summary["notes"];
    for (note, times) in [
        (
            "files of direct conversations that are not lists were left out",
            1,
        ),
        (
            "files of messages end too early: their rest was left out",
            1,
        ),
        (
            "files of messages of conversations that are not in the archive were left out (D1)",
            1,
        ),
        (
            "files of messages of conversations that are not in the archive were left out (elsewhere)",
            1,
        ),
        ("files of no known kind were left out", 1),
        ("messages that are not valid JSON were left out", 2),
        ("messages without a time were left out", 1),
        ("texts of messages lost characters that are not valid", 1),
    ] {
        assert_eq!(notes[note], times, "{note}: {summary}");
    }
    assert!(
        !notes.to_string().contains("is not known here"),
        "{summary}"
    );
    let ann = login(&server, "ann@x.org");
    let texts: Vec<String> = read(&ann).into_iter().map(|(_, text)| text).collect();
    for text in ["of one file", "cut \u{fffd}", "after"] {
        assert!(texts.iter().any(|it| it == text), "{text}: {texts:?}");
    }
    assert_eq!(server.admin(&["check"])["sound"], true);
}

#[test]
fn options_for_chat_exports_are_refused_for_other_archives() {
    let folder = Folder::new();
    let output = folder.import(b"no archive", &["--name", "Acme"]);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(
        !output.status.success() && errors.contains("which are zip files"),
        "{errors}"
    );
}
