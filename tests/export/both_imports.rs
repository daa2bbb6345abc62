//! An archive becomes the same organization in a file of SQLite and on PostgreSQL.

use serde_json::{Value, json};
use spindle_tests::server::is_on_postgres;
use spindle_tests::{Server, User, unix_now};

use crate::chats::{login, zip};
use crate::organization::{archive, ask, organization, pack};
use crate::support::{Folder, delivery_email, fetch, messages, summary};
use crate::{mattermost, slack};

/// What each import or server generates: names of stored pictures, tokens of bots, the day on which people of other
/// chats join, and what belongs to a running server.
const MADE_ANEW: [&str; 15] = [
    "avatar_url",
    "avatar_url_medium",
    "date_joined",
    "last_event_id",
    "original_name_url",
    "queue_id",
    "realm_icon_url",
    "realm_logo_url",
    "realm_night_logo_url",
    "realm_uuid",
    "recipient_id",
    "server_generation",
    "server_timestamp",
    "source_url",
    "token",
];

const READS: [(&str, &[(&str, &str)]); 14] = [
    ("/attachments", &[]),
    ("/channel_folders", &[]),
    ("/drafts", &[]),
    ("/realm/domains", &[]),
    ("/realm/linkifiers", &[]),
    ("/realm/profile_fields", &[]),
    ("/saved_snippets", &[]),
    ("/scheduled_messages", &[]),
    (
        "/streams",
        &[("include_all", "true"), ("exclude_archived", "false")],
    ),
    ("/user_groups", &[("include_deactivated_groups", "true")]),
    ("/users", &[("include_custom_profile_fields", "true")]),
    ("/users/me", &[]),
    ("/users/me/alert_words", &[]),
    (
        "/users/me/subscriptions",
        &[("include_subscribers", "true")],
    ),
];

/// Words of the messages of all archives, and one that none has.
const SEARCHES: [&str; 5] = ["open", "the", "both", "plan", "nowhere"];

/// Removes what an import generates, wherever it is, and the times since the imports began.
fn remove_what_is_made_anew(value: &mut Value, began: i64) {
    match value {
        Value::Array(values) => {
            for value in values {
                remove_what_is_made_anew(value, began);
            }
        }
        Value::Object(fields) => {
            fields.retain(|name, _| !MADE_ANEW.contains(&name.as_str()));
            for value in fields.values_mut() {
                remove_what_is_made_anew(value, began);
            }
        }
        _ => {
            let number = value.as_f64();
            if number.is_some_and(|time| (began..=unix_now()).contains(&(time as i64))) {
                *value = json!("since the imports began");
            }
        }
    }
}

/// What an account reads, each with the question.
fn answers(server: &Server, user: &User, began: i64) -> Vec<(String, Value)> {
    let mut all = Vec::new();
    for (path, pairs) in READS {
        let reply = user.get(path, pairs);
        all.push((path.to_owned(), json!([reply.status, reply.body])));
    }
    for markdown in ["true", "false"] {
        let read = messages(user, markdown);
        all.push((format!("messages, rendered: {markdown}"), read));
    }
    for word in SEARCHES {
        let narrow = json!([{"operator": "search", "operand": word}]).to_string();
        let pairs = [
            ("anchor", "newest"),
            ("num_before", "100"),
            ("num_after", "0"),
            ("narrow", &narrow),
        ];
        all.push((word.to_owned(), user.get("/messages", &pairs).ok()));
    }
    let state = user.post("/register", &[]).ok();
    let emoji = state["realm_emoji"].as_object().unwrap().values();
    for emoji in emoji {
        let (status, bytes) = fetch(user, emoji["source_url"].as_str().unwrap());
        all.push((emoji["name"].to_string(), json!([status, bytes.len()])));
    }
    let files = user.get("/attachments", &[]).ok()["attachments"].take();
    for file in files.as_array().unwrap() {
        let path = format!("/user_uploads/{}", file["path_id"].as_str().unwrap());
        let (status, bytes) = fetch(user, &path);
        all.push((path, json!([status, bytes])));
    }
    all.push(("register".to_owned(), state));
    for (_, answer) in &mut all {
        let text = answer.to_string().replace(server.base_url(), "BASE");
        *answer = serde_json::from_str(&text).unwrap();
        remove_what_is_made_anew(answer, began);
    }
    all
}

/// The number of rows of each table but those of the search, and of events: several nodes have some of their own.
fn rows(server: &Server) -> Vec<(String, i64)> {
    let tables = [
        "alert_words",
        "attachment_messages",
        "attachments",
        "audit_log",
        "channel_folders",
        "channels",
        "conversation_members",
        "conversations",
        "group_settings",
        "messages",
        "reactions",
        "realm_emoji",
        "subscriptions",
        "user_group_closure",
        "user_groups",
        "user_messages",
        "user_topics",
        "users",
    ];
    let count = |table: &str| {
        let sql = format!("SELECT count(*) FROM {table}");
        let found = server.database().query_row(&sql, [], |row| row.get(0));
        (table.to_owned(), found.unwrap())
    };
    tables.map(count).to_vec()
}

#[track_caller]
fn is_the_same(name: &str, archive: &[u8], flags: &[&str], people: &[&str]) {
    let postgres = spindle_test_postgres::shared().unwrap();
    let began = unix_now();
    let folders = [None, Some(postgres.database())].map(Folder::with);
    let [here, there] = folders.map(|folder| {
        let summary = summary(&folder.import(archive, flags));
        let checked = folder.admin(&["check", "--output", "json"]).output();
        let checked: Value = serde_json::from_slice(&checked.unwrap().stdout).unwrap();
        assert_eq!(checked["sound"], true, "{name}: {checked}");
        (summary, folder.serve())
    });
    assert_eq!(there.0, here.0, "{name}");
    let (here, there) = (&here.1, &there.1);
    for address in people {
        let expected = answers(here, &login(here, address), began);
        let found = answers(there, &login(there, address), began);
        assert_eq!(found.len(), expected.len(), "{name}: {address}");
        for ((question, found), (_, expected)) in found.iter().zip(&expected) {
            assert_eq!(found, expected, "{name}: {address}: {question}");
        }
    }
    assert_eq!(rows(there), rows(here), "{name}");
    // Ids go on after the highest one.
    let [one, two] = [here, there].map(|server| {
        let user = login(server, people[0]);
        let to = format!("[{}]", user.id());
        crate::organization::send(&user, &to, "after the import")
    });
    assert_eq!(one, two, "{name}");
}

#[test]
fn an_archive_becomes_the_same_in_both_databases() {
    if is_on_postgres("it compares a database file with PostgreSQL")
        || spindle_test_postgres::shared().is_none()
    {
        return;
    }
    let organization = organization();
    let (server, owner) = (&organization.server, &organization.owner);
    let [owner_of_all, ann] = [owner, &organization.ann].map(delivery_email);
    for export_type in ["public", "full_with_consent", "full_without_consent"] {
        let archive = archive(server, owner, &ask(owner, export_type));
        let flags = ["--owner", &owner_of_all];
        let people = [owner_of_all.as_str(), ann.as_str()];
        let people = if export_type == "public" {
            &people[..1]
        } else {
            &people
        };
        is_the_same(export_type, &pack(&archive.files("export")), &flags, people);
    }
    let flags = ["--name", "Acme", "--email-domain", "acme.example"];
    let people = ["ann@x.org", "eve@acme.example"];
    is_the_same("Slack", &zip(&slack::export()), &flags, &people);
    let export = mattermost::export(&mattermost::lines());
    let people = ["ann@x.org", "bob@x.org"];
    is_the_same("Mattermost", &zip(&export), &[], &people);
}
