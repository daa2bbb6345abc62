//! Exports in the form that Mattermost documents, and the rows that become of them.

use serde_json::{Value, json};

use super::super::testing::{Rows, translated};

fn line(kind: &str, object: Value) -> Value {
    json!({"type": kind, kind: object})
}

/// A team, two channels, people of all kinds, a bot.
fn base() -> Vec<Value> {
    let member = |channels: &[&str], roles: &str| {
        let channels: Vec<Value> = channels
            .iter()
            .map(|name| {
                json!({"name": name, "roles": "channel_user", "favorite": *name == "dev",
                "notify_props": {"mark_unread": if *name == "dev" { "mention" } else { "all" }}})
            })
            .collect();
        json!([{"name": "acme", "roles": roles, "channels": channels}])
    };
    vec![
        json!({"type": "version", "version": 1, "info": {"generator": "mattermost-server"}}),
        line("role", json!({"name": "x"})),
        line(
            "team",
            json!({"name": "acme", "display_name": "Acme", "type": "O"}),
        ),
        line(
            "channel",
            json!({"team": "acme", "name": "town-square", "display_name": "Town Square",
            "type": "O", "header": "", "purpose": "See ~dev"}),
        ),
        line(
            "channel",
            json!({"team": "acme", "name": "dev", "display_name": "Dev", "type": "P",
            "header": "the _header_", "purpose": "", "deleted_at": 1_700_000_000_000_u64}),
        ),
        line(
            "user",
            json!({"username": "ann", "email": "ann@x.org", "first_name": "Ann",
            "last_name": "Lee", "roles": "system_user system_admin", "delete_at": 0,
            "password": "never taken over",
            "teams": member(&["town-square", "dev"], "team_user")}),
        ),
        line(
            "user",
            json!({"username": "bob", "email": "bob@x.org", "nickname": "Bobby",
            "roles": "system_user", "teams": member(&["town-square"], "team_user team_admin")}),
        ),
        line(
            "user",
            json!({"username": "cid", "email": "cid@x.org", "roles": "system_guest",
            "delete_at": 1_700_000_000_000_u64, "teams": member(&["town-square", "lost"], "team_guest")}),
        ),
        line(
            "bot",
            json!({"username": "helper", "owner": "ann", "display_name": "Helper",
            "delete_at": 0}),
        ),
    ]
}

#[track_caller]
fn rows(posts: &[Value], files: &[(&'static str, &str)]) -> Rows {
    let lines = base().into_iter().chain(posts.iter().cloned());
    let lines: Vec<String> = lines.map(|line| line.to_string()).collect();
    let mut all = vec![("import.jsonl", lines.join("\n"))];
    all.extend(
        files
            .iter()
            .map(|(path, content)| (*path, (*content).to_owned())),
    );
    translated(&all).unwrap()
}

fn post(time: u64, more: Value) -> Value {
    let mut post = json!({"team": "acme", "channel": "town-square", "user": "ann",
        "create_at": 1_700_000_000_000 + time});
    let object = post.as_object_mut().unwrap();
    object.extend(more.as_object().unwrap().clone());
    line("post", post)
}

#[test]
fn people_and_channels_are_theirs() {
    let rows = rows(&[], &[]);
    assert_eq!(rows.of("realm")[0]["name"], "Acme");
    let columns = [
        "id",
        "full_name",
        "delivery_email",
        "role",
        "is_active",
        "is_bot",
        "bot_owner",
    ];
    let people = rows.lines("userprofile", &columns);
    assert_eq!(
        people,
        [
            "1 Ann Lee ann@x.org 100 true false null",
            "2 Bobby bob@x.org 200 true false null",
            "3 cid cid@x.org 600 false false null",
            "4 Helper helper@mattermost.invalid 400 true true 1",
        ]
    );
    assert!(!rows.of("userprofile")[0].to_string().contains("never"));
    assert_eq!(rows.column("stream", "name"), ["Town Square", "Dev"]);
    assert_eq!(
        rows.column("stream", "description"),
        ["See #**Dev**", "the *header*"]
    );
    assert_eq!(rows.column("stream", "invite_only"), [false, true]);
    assert_eq!(rows.column("stream", "deactivated"), [false, true]);
    assert_eq!(rows.column("defaultstream", "stream"), [1]);
    assert_eq!(rows.column("subscription", "user_profile"), [1, 2, 3, 1]);
    assert_eq!(rows.of("subscription")[3]["is_muted"], true);
    assert_eq!(rows.of("subscription")[3]["pin_to_top"], true);
    assert!(rows.of("channelfolder").is_empty());
    let note = "memberships of channels that are not in the archive were left out";
    assert_eq!(rows.notes[note], 1);
}

#[test]
fn teams_are_folders_and_tell_channels_apart() {
    let posts = [
        line("team", json!({"name": "beta", "display_name": "Beta"})),
        line(
            "channel",
            json!({"team": "beta", "name": "town-square", "display_name": "Town Square", "type": "O"}),
        ),
    ];
    let rows = rows(&posts, &[]);
    assert_eq!(rows.column("channelfolder", "name"), ["Acme", "Beta"]);
    assert_eq!(
        rows.column("stream", "name"),
        ["Town Square (Acme)", "Dev", "Town Square (Beta)"]
    );
    assert_eq!(rows.column("stream", "folder"), [1, 1, 2]);
}

#[test]
fn posts_with_replies_are_topics() {
    let reply = |time: u64, text: &str| {
        json!({"user": "bob", "message": text, "create_at": 1_700_000_000_000_u64 + time,
            "reactions": [{"user": "ann", "create_at": 1, "emoji_name": "tada"}]})
    };
    let rows = rows(
        &[
            post(5000, json!({"message": "alone"})),
            post(
                1000,
                json!({"message": "**Who** deploys, @bob?", "flagged_by": ["bob"],
                    "edit_at": 1_700_000_009_000_u64,
                    "reactions": [{"user": "bob", "emoji_name": "thumbsup"}, {"user": "x", "emoji_name": "a"}],
                    "replies": [reply(6000, "me"), reply(2000, "not me")]}),
            ),
            post(
                1000,
                json!({"message": "Who deploys, @Bobby?", "replies": [reply(3000, "again")]}),
            ),
            post(
                4000,
                json!({"message": "joined", "type": "system_join_channel"}),
            ),
            post(7000, json!({"message": "waves", "type": "me"})),
            post(
                8000,
                json!({"message": "lost", "channel": "other", "replies": [reply(1, "x")]}),
            ),
            post(9000, json!({"message": "from outside", "user": "zoe"})),
            post(
                10_000,
                json!({"message": "", "user": "bob", "props": {"from_webhook": "true",
                    "override_username": "CI", "attachments": [{"title": "Build 7",
                    "title_link": "https://ci.example.org/7", "text": "_passed_"}]}}),
            ),
        ],
        &[],
    );
    let messages: Vec<String> = rows
        .of("message")
        .iter()
        .map(|row| {
            let column = |name: &str| row[name].as_str().unwrap().to_owned();
            format!(
                "{}: {} ({})",
                column("subject"),
                column("content"),
                row["sender"]
            )
        })
        .collect();
    assert_eq!(
        messages,
        [
            "Who deploys, @Bobby?: **Who** deploys, @**Bobby|2**? (1)",
            "Who deploys, @Bobby? (2): Who deploys, @Bobby? (1)",
            "Who deploys, @Bobby?: not me (2)",
            "Who deploys, @Bobby? (2): again (2)",
            "imported from Mattermost: alone (1)",
            "Who deploys, @Bobby?: me (2)",
            "imported from Mattermost: /me waves (1)",
            "imported from Mattermost: from outside (5)",
            "imported from Mattermost: [Build 7](https://ci.example.org/7)\n\n*passed* (6)",
        ]
    );
    assert_eq!(rows.of("message")[0]["last_edit_time"], 1_700_000_009);
    assert_eq!(
        rows.column("reaction", "emoji_name"),
        ["+1", "tada", "tada", "tada"]
    );
    // Read, starred and mentioned.
    assert!(
        rows.receipts.contains(&(2, 1, 1 | 2 | 8)),
        "{:?}",
        rows.receipts
    );
    assert_eq!(rows.column("userprofile_mirrordummy", "full_name"), ["zoe"]);
    for (note, times) in [
        ("notices of Mattermost were left out", 1),
        (
            "posts of channels that are not in the archive were left out",
            2,
        ),
        (
            "reactions of people whom the archive does not name were left out",
            1,
        ),
        (
            "people who are not among those of the archive became deactivated placeholders",
            1,
        ),
        ("roles and schemes of permissions were left out", 1),
    ] {
        assert_eq!(rows.notes.get(note), Some(&times), "{:?}", rows.notes);
    }
}

#[test]
fn direct_posts_reach_their_members() {
    let direct = |members: &[&str], user: &str, text: &str, time: u64| {
        line(
            "direct_post",
            json!({"channel_members": members, "user": user, "message": text,
            "create_at": 1_700_000_000_000_u64 + time, "replies": null, "reactions": null}),
        )
    };
    let rows = rows(
        &[
            line("direct_channel", json!({"members": ["ann", "bob"]})),
            direct(&["ann", "bob"], "ann", "to bob", 1),
            direct(&["bob", "ann"], "bob", "to ann", 2),
            direct(&["ann", "bob", "cid"], "cid", "to all", 3),
            direct(&["ann"], "ann", "to me", 4),
        ],
        &[],
    );
    assert_eq!(rows.column("message", "recipient"), [3, 3, 4, 5]);
    assert_eq!(rows.column("message", "subject"), [""; 4]);
    let received: Vec<(i64, i64)> = rows.receipts.iter().map(|it| (it.1, it.0)).collect();
    assert_eq!(
        received,
        [
            (1, 1),
            (1, 2),
            (2, 1),
            (2, 2),
            (3, 1),
            (3, 2),
            (3, 3),
            (4, 1)
        ]
    );
}

#[test]
fn files_emoji_and_pictures_come_from_the_folder_of_data() {
    let path = "20231114/teams/noteam/channels/c/users/u/f/plan v2.txt";
    let rows = rows(
        &[
            line(
                "emoji",
                json!({"name": "parrot", "image": "emoji/e1/image"}),
            ),
            line("emoji", json!({"name": "lost", "image": "emoji/e2/image"})),
            post(
                1,
                json!({"message": "", "attachments": [{"path": path}, {"path": "x/gone.pdf"}]}),
            ),
        ],
        &[
            (
                "data/20231114/teams/noteam/channels/c/users/u/f/plan v2.txt",
                "the plan",
            ),
            ("data/emoji/e1/image", "no picture"),
        ],
    );
    let content = &rows.contents()[0];
    assert!(
        content.starts_with("[plan v2.txt](/user_uploads/1/imported-"),
        "{content}"
    );
    assert!(content.ends_with("\n\n(gone.pdf)"), "{content}");
    assert_eq!(rows.of("attachment")[0]["messages"], json!([1]));
    assert_eq!(rows.column("realmemoji", "name"), ["parrot"]);
    let note = "attachments that are not in the archive were left out";
    assert_eq!(rows.notes[note], 1);
    assert_eq!(
        rows.notes["custom emoji without an image in the archive were left out"],
        1
    );
}

#[test]
fn an_export_begins_with_its_version() {
    let refused = |lines: &[&str]| {
        let files = [("import.jsonl", lines.join("\n"))];
        format!("{:#}", translated(&files).unwrap_err())
    };
    for first in [
        "{\"type\": \"team\", \"team\": {}}",
        "{\"type\": \"version\", \"version\": 2}",
        "{\"type\": \"ver",
    ] {
        let error = refused(&[first]);
        assert!(
            error.contains("begins with its version, of which only 1"),
            "{error}"
        );
    }
    assert!(refused(&[""]).contains("no line"));
}

#[test]
fn odd_lines_hide_no_others() {
    let deep = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
    let post = |message: &str| {
        format!(
            r#"{{"type": "post", "post": {{"team": "acme", "channel": "one", "user": "ann", "create_at": 1700000000000,
            "message": {message}}}}}"#
        )
        .replace('\n', " ")
    };
    let lines = [
        r#"{"type": "version", "version": 1}"#.to_owned(),
        r#"{"type": "team", "team": {"name": "acme"}}"#.to_owned(),
        r#"{"type": "channel", "channel": {"team": "acme", "name": "one"}}"#.to_owned(),
        r#"{"type": "channel", "channel": {"team": "acme", "name": 1}}"#.to_owned(),
        r#"{"type": "user", "user": {"username": "ann"}}"#.to_owned(),
        r#"{"type": "user", "user": null}"#.to_owned(),
        r#"{"type": "user", "user": {"username": "cut"#.to_owned(),
        r#"{"type": "version", "version": 1}"#.to_owned(),
        r#"{"type": "future", "future": {}}"#.to_owned(),
        "null".to_owned(),
        format!(r#"{{"type": "x", "x": {deep}}}"#),
        post(r#""cut \ud83d""#),
        post("17"),
        post(&deep),
        post("\"open"),
        post("\"good\""),
    ];
    let rows = translated(&[("import.jsonl", lines.join("\n"))]).unwrap();
    assert_eq!(rows.contents(), ["cut \u{fffd}", "17", "good"]);
    for (note, times) in [
        ("accounts without a name were left out", 1),
        ("channels without a name were left out", 1),
        ("lines that are not valid JSON were left out", 4),
        ("lines of a type that is not known here were left out", 2),
        ("texts of lines lost characters that are not valid", 1),
    ] {
        assert_eq!(
            rows.notes.get(note),
            Some(&times),
            "{note}: {:?}",
            rows.notes
        );
    }
}
