//! Exports in the form that Slack documents, and the rows that become of them.

use serde_json::{Value, json};

use super::super::testing::{Rows, translated};

/// People of all kinds, two channels, a private one, two direct conversations.
fn base() -> Vec<(&'static str, Value)> {
    let user = |id: &str, name: &str, more: Value| {
        let mut user = json!({"id": id, "team_id": "T1", "name": name, "deleted": false,
            "real_name": format!("Real {name}"), "tz": "Europe/Amsterdam",
            "profile": {"real_name": format!("Real {name}"), "email": format!("{name}@x.org")}});
        let object = user.as_object_mut().unwrap();
        object.extend(more.as_object().unwrap().clone());
        user
    };
    vec![
        (
            "users.json",
            json!([
                user("U1", "ann", json!({"is_owner": true, "is_admin": true})),
                user("U2", "bob", json!({"is_admin": true})),
                user(
                    "U3",
                    "cid",
                    json!({"is_ultra_restricted": true, "is_restricted": true})
                ),
                user("U4", "dan", json!({"deleted": true})),
                user(
                    "U5",
                    "hubot",
                    json!({"is_bot": true, "profile": {"real_name": "Hubot", "bot_id": "B5"}})
                ),
                user(
                    "USLACKBOT",
                    "slackbot",
                    json!({"profile": {"real_name": "Slackbot"}})
                ),
            ]),
        ),
        (
            "channels.json",
            json!([
                {"id": "C1", "name": "general", "created": 1_700_000_000, "creator": "U1",
                 "is_archived": false, "is_general": true, "members": ["U1", "U2", "U3", "U4"],
                 "topic": {"value": "", "creator": "", "last_set": 0},
                 "purpose": {"value": "All about <#C2|old> &amp; more", "creator": "U1", "last_set": 0}},
                {"id": "C2", "name": "old", "created": 1_600_000_000, "creator": "U9",
                 "is_archived": true, "is_general": false, "members": []},
            ]),
        ),
        (
            "groups.json",
            json!([{"id": "G1", "name": "secret", "created": 1_700_000_001, "creator": "U2",
                "is_archived": false, "members": ["U1", "U2"]}]),
        ),
        (
            "dms.json",
            json!([{"id": "D1", "created": 1_700_000_002, "members": ["U1", "U2"]}]),
        ),
        (
            "mpims.json",
            json!([{"id": "G2", "name": "mpdm-ann--bob--cid-1", "members": ["U1", "U2", "U3"]}]),
        ),
        ("integration_logs.json", json!([])),
    ]
}

/// The rows of an export with these files of messages.
#[track_caller]
fn rows(days: &[(&'static str, Value)]) -> Rows {
    let files = base().into_iter().chain(days.iter().cloned());
    let files: Vec<(&str, String)> = files
        .map(|(path, content)| (path, content.to_string()))
        .collect();
    translated(&files).unwrap()
}

/// A message of `U1` in the second `second`.
fn message(second: u32, more: Value) -> Value {
    let mut message =
        json!({"type": "message", "user": "U1", "ts": format!("17000001{second:02}.000100")});
    let object = message.as_object_mut().unwrap();
    object.extend(more.as_object().unwrap().clone());
    message
}

const DAY: &str = "general/2023-11-14.json";

/// The content that a single message has.
#[track_caller]
fn content(more: Value) -> String {
    let rows = rows(&[(DAY, json!([message(1, more)]))]);
    let contents = rows.contents();
    assert_eq!(contents.len(), 1, "{:?}", rows.notes);
    contents.into_iter().next().unwrap()
}

#[test]
fn people_have_their_roles_and_addresses() {
    let rows = rows(&[]);
    assert_eq!(rows.of("realm")[0]["name"], "Acme");
    assert_eq!(rows.of("realm")[0]["date_created"], 1_600_000_000);
    let columns = [
        "id",
        "full_name",
        "delivery_email",
        "role",
        "is_active",
        "is_bot",
    ];
    let people = rows.lines("userprofile", &columns);
    assert_eq!(
        people,
        [
            "1 Real ann ann@x.org 100 true false",
            "2 Real bob bob@x.org 200 true false",
            "3 Real cid cid@x.org 600 true false",
            "4 Real dan dan@x.org 400 false false",
            "5 Hubot hubot@slack.invalid 400 true true",
            "6 Slackbot slackbot@slack.invalid 400 true true",
        ]
    );
    assert_eq!(rows.of("userprofile")[0]["timezone"], "Europe/Amsterdam");
}

#[test]
fn conversations_have_their_members() {
    let rows = rows(&[]);
    let channels: Vec<String> = rows
        .of("stream")
        .iter()
        .map(|row| {
            let column = |name: &str| row[name].to_string().replace('"', "");
            [
                "name",
                "invite_only",
                "deactivated",
                "creator",
                "description",
            ]
            .map(column)
            .join(" ")
        })
        .collect();
    assert_eq!(
        channels,
        [
            "general false false 1 All about #**old** & more",
            "old false true null ",
            "secret true false 2 ",
        ]
    );
    assert_eq!(rows.column("defaultstream", "stream"), [1]);
    let members: Vec<(u64, u64)> = rows
        .of("subscription")
        .iter()
        .map(|row| {
            let number = |name: &str| row[name].as_u64().unwrap();
            (number("recipient"), number("user_profile"))
        })
        .collect();
    // Direct conversations without messages are none.
    assert_eq!(members, [(1, 1), (1, 2), (1, 3), (1, 4), (3, 1), (3, 2)]);
}

#[test]
fn messages_come_in_the_order_of_time() {
    let rows = rows(&[
        (
            "secret/2023-11-14.json",
            json!([message(3, json!({"text": "third"}))]),
        ),
        (
            DAY,
            json!([
                message(4, json!({"text": "fourth"})),
                message(1, json!({"text": "first"}))
            ]),
        ),
        (
            "D1/2023-11-14.json",
            json!([message(2, json!({"text": "second", "user": "U2"}))]),
        ),
        (
            "mpdm-ann--bob--cid-1/2023-11-14.json",
            json!([message(5, json!({"text": "fifth"}))]),
        ),
        (
            "nowhere/2023-11-14.json",
            json!([message(6, json!({"text": "lost"}))]),
        ),
    ]);
    assert_eq!(
        rows.contents(),
        ["first", "second", "third", "fourth", "fifth"]
    );
    assert_eq!(rows.column("message", "id"), [1, 2, 3, 4, 5]);
    assert_eq!(rows.column("message", "recipient"), [1, 4, 3, 1, 5]);
    assert_eq!(rows.column("message", "date_sent")[0], 1_700_000_101);
    assert_eq!(rows.column("message", "subject")[0], "imported from Slack");
    assert_eq!(rows.column("message", "subject")[1], "");
    // Of active members only, and of direct messages everyone.
    let of = |message: i64| {
        let receipts = rows.receipts.iter().filter(|it| it.1 == message);
        receipts.map(|it| it.0).collect::<Vec<_>>()
    };
    assert_eq!(
        [of(1), of(2), of(3)],
        [vec![1, 2, 3], vec![1, 2], vec![1, 2]]
    );
    assert_eq!(
        rows.notes
            .keys()
            .filter(|note| note.contains("not in the archive"))
            .count(),
        1
    );
}

#[test]
fn threads_are_topics() {
    let thread = |second: u32, root: u32, text: &str, subtype: &str| {
        let root = format!("17000001{root:02}.000100");
        message(
            second,
            json!({"text": text, "thread_ts": root, "subtype": subtype}),
        )
    };
    let rows = rows(&[
        (
            DAY,
            json!([
                thread(1, 1, "*Deploy* on Friday, <@U2>?", ""),
                message(2, json!({"text": "between"})),
                thread(3, 1, "yes", ""),
                thread(4, 4, "deploy on Friday, @Real bob?", ""),
                thread(5, 4, "also here", "thread_broadcast"),
                thread(6, 0, "of a thread that began before", ""),
                json!({"type": "message", "subtype": "tombstone", "user": "USLACKBOT",
                    "text": "This message was deleted.", "ts": "1700000107.000100",
                    "thread_ts": "1700000107.000100"}),
                thread(8, 7, "reply to what is gone", ""),
            ]),
        ),
        (
            "general/2023-11-15.json",
            json!([thread(9, 1, "a day later", "")]),
        ),
    ]);
    let topics: Vec<String> = rows
        .of("message")
        .iter()
        .map(|row| row["subject"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(
        topics,
        [
            "Deploy on Friday, @Real bob?",
            "imported from Slack",
            "Deploy on Friday, @Real bob?",
            "deploy on Friday, @Real bob? (2)",
            "deploy on Friday, @Real bob? (2)",
            "of a thread that began before",
            "reply to what is gone",
            "Deploy on Friday, @Real bob?",
        ]
    );
    // Whom it mentions, it mentions.
    assert!(rows.receipts.contains(&(2, 1, 1 | 8)));
}

#[test]
fn every_kind_of_sender_is_an_account() {
    let rows = rows(&[(
        DAY,
        json!([
            message(1, json!({"text": "person"})),
            message(
                2,
                json!({"text": "bot", "user": null, "bot_id": "B5", "subtype": "bot_message"})
            ),
            message(
                3,
                json!({"text": "hook", "user": null, "bot_id": "B9", "username": "GitHub",
                "subtype": "bot_message"})
            ),
            message(
                4,
                json!({"text": "same", "user": null, "username": "github", "subtype": "bot_message"})
            ),
            message(
                5,
                json!({"text": "guest", "user": "U77", "user_profile": {"real_name": "Zoe"}})
            ),
            message(
                6,
                json!({"text": "profile", "user": null, "bot_id": "B8", "bot_profile": {"name": "Jira"}})
            ),
            message(7, json!({"text": "nobody", "user": null})),
            message(
                8,
                json!({"text": "slack", "user": "USLACKBOT", "subtype": "slackbot_response"})
            ),
        ]),
    )]);
    assert_eq!(rows.column("message", "sender"), [1, 5, 7, 7, 8, 9, 6]);
    assert_eq!(rows.notes["messages without a sender were left out"], 1);
    let names = rows.column("userprofile", "full_name");
    assert_eq!(names[6..], ["GitHub", "Jira"]);
    assert_eq!(rows.of("userprofile")[6]["is_active"], false);
    let zoe = &rows.of("userprofile_mirrordummy")[0];
    assert_eq!((&zoe["full_name"], &zoe["id"]), (&json!("Zoe"), &json!(8)));
}

#[test]
fn notices_and_what_was_deleted_are_left_out() {
    let rows = rows(&[(
        DAY,
        json!([
            message(1, json!({"text": "<@U1> has joined", "subtype": "channel_join"})),
            message(2, json!({"text": "set the topic", "subtype": "channel_topic"})),
            message(3, json!({"text": "gone", "subtype": "tombstone"})),
            message(4, json!({"text": "", "subtype": ""})),
            {"type": "message", "user": "U1", "text": "no time"},
            message(6, json!({"text": "kept", "subtype": "something_new"})),
        ]),
    )]);
    assert_eq!(rows.contents(), ["kept"]);
    for (note, times) in [
        ("notices of Slack were left out", 2),
        ("messages that were deleted were left out", 1),
        ("messages without any content were left out", 1),
        ("messages without a time were left out", 1),
    ] {
        assert_eq!(rows.notes.get(note), Some(&times), "{:?}", rows.notes);
    }
}

#[test]
fn what_integrations_write_is_text() {
    assert_eq!(
        content(json!({"subtype": "me_message", "text": "waves"})),
        "/me waves"
    );
    let attachment = json!({"text": "", "attachments": [{"pretext": "New *build*", "title": "#7",
        "title_link": "https://ci.example.org/7", "text": "_passed_", "fallback": "unused",
        "fields": [{"title": "Branch", "value": "main"}]}]});
    assert_eq!(
        content(attachment),
        "New **build**\n\n[#7](https://ci.example.org/7)\n\n*passed*\n\n**Branch**: main"
    );
    // The preview of a link that is there.
    let preview = json!({"text": "<https://x.org>", "attachments": [{"from_url": "https://x.org",
        "title": "X", "text": "about x"}]});
    assert_eq!(content(preview), "https://x.org");
    let shared = json!({"text": "look", "attachments": [{"is_msg_unfurl": true, "author_name": "Bob",
        "text": "one\ntwo", "from_url": "https://acme.slack.com/archives/C1/p1"}]});
    assert_eq!(content(shared), "look\n\nBob:\n> one\n> two");
    let blocks = json!({"text": "", "blocks": [
        {"type": "header", "text": {"type": "plain_text", "text": "Report"}},
        {"type": "section", "text": {"type": "mrkdwn", "text": "all *well*"}},
        {"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": [
            {"type": "text", "text": "by "}, {"type": "user", "user_id": "U2"}]}]}]});
    assert_eq!(
        content(blocks),
        "**Report**\n\nall **well**\n\nby @**Real bob|2**"
    );
    assert_eq!(
        content(json!({"attachments": [{"fallback": "only this"}]})),
        "only this"
    );
    let comment = json!({"subtype": "file_comment", "text": "<@U2> commented", "user": null,
        "comment": {"user": "U2", "comment": "nice"}});
    assert_eq!(content(comment), "nice");
}

#[test]
fn files_of_the_archive_are_stored_and_others_linked() {
    let file = |id: &str, name: &str| {
        json!({"id": id, "name": name, "mimetype": "text/plain", "size": 5,
            "url_private": format!("https://files.slack.com/{id}/{name}?t=xoxe-1")})
    };
    let shared = message(
        1,
        json!({"text": "see", "files": [file("F1", "a b.txt"), file("F2", "gone.txt"),
            {"id": "F3", "mode": "tombstone"}]}),
    );
    let alone = message(
        2,
        json!({"text": "", "files": [file("F1", "a b.txt")], "thread_ts": "1700000102.000100"}),
    );
    let mut files: Vec<(&str, String)> = base()
        .into_iter()
        .map(|(path, content)| (path, content.to_string()))
        .collect();
    files.push((DAY, json!([shared, alone]).to_string()));
    files.push(("__uploads/F1/a b.txt", "hello".to_owned()));
    files.push(("__avatars/U1/a.png", "no picture".to_owned()));
    files.push(("emoji/parrot.gif", "no picture".to_owned()));
    let rows = translated(&files).unwrap();
    let contents = rows.contents();
    let (link, rest) = contents[0]
        .strip_prefix("see\n\n")
        .unwrap()
        .split_once("\n\n")
        .unwrap();
    assert!(
        link.starts_with("[a b.txt](/user_uploads/1/imported-"),
        "{link}"
    );
    assert_eq!(rest, "[gone.txt](https://files.slack.com/F2/gone.txt)");
    assert_eq!(contents[1], link);
    assert_eq!(rows.of("message")[1]["subject"], "a b.txt");
    assert_eq!(rows.of("attachment").len(), 1);
    let attachment = &rows.of("attachment")[0];
    assert_eq!(attachment["messages"], json!([1, 2]));
    assert_eq!(attachment["content_type"], "text/plain");
    assert_eq!(rows.column("realmemoji", "name"), ["parrot"]);
    for note in [
        "files that are not in the archive are links to where they were",
        "files that Slack does not have any more were left out",
    ] {
        assert_eq!(rows.notes.get(note), Some(&1), "{:?}", rows.notes);
    }
}

#[test]
fn reactions_have_the_emoji_of_this_server() {
    let reacted = message(
        1,
        json!({"text": "x", "edited": {"user": "U1", "ts": "1700000200.000000"}, "reactions": [
            {"name": "thumbsup", "users": ["U1", "U2"], "count": 2},
            {"name": "+1::skin-tone-3", "users": ["U2"], "count": 1},
            {"name": "tada", "users": ["U3"], "count": 5},
            {"name": "our_logo", "users": ["U3"], "count": 1}]}),
    );
    let rows = rows(&[(DAY, json!([reacted]))]);
    let reactions: Vec<String> = rows
        .of("reaction")
        .iter()
        .map(|row| {
            format!(
                "{} {} {}",
                row["user_profile"], row["emoji_name"], row["emoji_code"]
            )
        })
        .collect();
    assert_eq!(
        reactions,
        [
            "1 \"+1\" \"1f44d\"",
            "2 \"+1\" \"1f44d\"",
            "3 \"tada\" \"1f389\""
        ]
    );
    assert_eq!(rows.of("message")[0]["last_edit_time"], 1_700_000_200);
    assert_eq!(
        rows.notes["reactions of people whom the archive does not name were left out"],
        4
    );
    let unknown =
        "reactions with emoji that are neither in the archive nor known here were left out";
    assert_eq!(rows.notes[unknown], 1);
}

#[test]
fn odd_archives_are_refused_or_taken_as_far_as_they_make_sense() {
    let refused = |files: &[(&str, &str)]| {
        let files: Vec<(&str, String)> = files
            .iter()
            .map(|(path, content)| (*path, (*content).to_owned()))
            .collect();
        format!("{:#}", translated(&files).unwrap_err())
    };
    let error = refused(&[("notes.txt", "x")]);
    assert!(error.contains("neither an export of Slack"), "{error}");
    let error = refused(&[("users.json", "{}"), ("channels.json", "[]")]);
    assert!(
        error.contains("users.json is not a list of people"),
        "{error}"
    );
    // Rows of other types than expected say nothing.
    let files = [
        (
            "users.json",
            "[7, {\"id\": 4}, {\"id\": \"U1\", \"profile\": [], \"real_name\": {}}]",
        ),
        (
            "channels.json",
            "[{\"id\": \"C1\", \"name\": \"x\", \"members\": {\"U1\": 1}}]",
        ),
        (
            "x/2024-01-01.json",
            "[7, null, {\"ts\": 5, \"user\": \"U1\", \"text\": \"x\"}]",
        ),
    ]
    .map(|(path, content)| (path, content.to_owned()));
    let rows = translated(&files).unwrap();
    assert_eq!(
        (rows.of("userprofile").len(), rows.of("message").len()),
        (1, 1)
    );
}
