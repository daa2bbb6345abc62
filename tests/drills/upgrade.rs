//! The database of the previous release, with accounts, messages, an upload and live queues, under
//! this release: all data is there, and every queue continues exactly at its client's position. The
//! fixture was written by that release's own code (scripts/make-upgrade-fixture).

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use flate2::read::GzDecoder;
use serde_json::{Value, json};
use spindle_tests::server::{binary, repository};
use spindle_tests::{Client, Options, PATIENCE, Queue, Server, User, until_within};

use crate::support::{assert_sound, number, received, refusal_to_serve, run, send_direct, until};

/// Migrations that the previous release knew.
const PREVIOUS: i64 = 9;

const FIXTURE: &[u8] = include_bytes!("previous_release/data.tar.gz");

/// A fresh copy of the previous release's data directory, and its description.
fn previous(folder: &Path) -> (PathBuf, Value) {
    let data = folder.join("data");
    std::fs::create_dir(&data).expect("folder");
    tar::Archive::new(GzDecoder::new(FIXTURE))
        .unpack(&data)
        .expect("the fixture");
    let description = data.join("fixture.json");
    let text = std::fs::read_to_string(&description).expect("description");
    std::fs::remove_file(description).expect("description");
    (data, serde_json::from_str(&text).expect("JSON"))
}

/// The accounts of the fixture: the owner, Ann, Bob and Cat.
fn people(server: &Server, fixture: &Value) -> [User; 4] {
    let list = fixture["people"].as_array().expect("people").iter();
    let users: Vec<User> = list
        .map(|one| {
            let text = |name: &str| one[name].as_str().expect("text").to_owned();
            let (email, api_key) = (text("email"), text("api_key"));
            User {
                user_id: one["user_id"].as_i64().expect("id"),
                client: Client::new(server.base_url(), Some((&email, &api_key))),
                full_name: String::new(),
                email,
                api_key,
            }
        })
        .collect();
    users.try_into().unwrap_or_else(|_| panic!("four people"))
}

/// Queues and positions as clients remember them.
fn fetch(user: &User, fixture: &Value, queue: &str, last: i64) -> spindle_tests::Reply {
    let id = fixture["queues"][queue].as_str().expect("queue");
    let last = last.to_string();
    let pairs = [
        ("queue_id", id),
        ("last_event_id", &last),
        ("dont_block", "true"),
    ];
    user.get("/events", &pairs)
}

fn events(user: &User, fixture: &Value, queue: &str, last: i64) -> Vec<Value> {
    let body = fetch(user, fixture, queue, last).ok();
    let events = body["events"].as_array().expect("events").clone();
    for (event, id) in events.iter().zip(last + 1..) {
        assert_eq!(event["id"], id, "{queue}");
    }
    events
}

/// Contents of the messages of the fixture: all, and those of the channel.
fn messages(fixture: &Value) -> (Vec<String>, Vec<String>) {
    let list = fixture["messages"].as_array().expect("messages");
    let text = |message: &Value| message["content"].as_str().expect("content").to_owned();
    let all: Vec<String> = list.iter().map(text).collect();
    let mut public = all.clone();
    public.retain(|text| !text.starts_with("only for Ann"));
    (all, public)
}

fn queues_go_on(fixture: &Value, [_, ann, bob, cat]: &[User; 4]) {
    let (all, public) = messages(fixture);
    // Ann's client had received twenty and had acknowledged ten.
    let seen = events(ann, fixture, "read_half", 9);
    assert_eq!(received(&seen), all[10..]);
    // The earlier position was acknowledged, so that its events are deleted.
    fetch(ann, fixture, "read_half", 8).bad_request();
    assert_eq!(received(&events(ann, fixture, "read_half", 19)), all[20..]);
    // Cat's heartbeat keeps its id.
    let seen = events(cat, fixture, "with_heartbeat", -1);
    assert_eq!(seen[0], json!({"type": "heartbeat", "id": 0}));
    assert_eq!(received(&seen), public);
    assert_eq!(seen.len(), public.len() + 1);
    // Bob's client had registered for all events and never polled.
    let seen = events(bob, fixture, "never_polled", -1);
    assert_eq!(received(&seen), all);
    assert!(seen.iter().any(|event| event["type"] == "user_status"));
    assert_eq!(seen.last().expect("an event")["type"], "restart");
    fetch(cat, fixture, "ended", -1).error(400, "BAD_EVENT_QUEUE_ID");
    // New events follow.
    send_direct(bob, ann, "after the upgrade");
    let last = i64::try_from(all.len()).expect("length") - 1;
    let seen = events(ann, fixture, "read_half", last);
    assert_eq!(received(&seen), ["after the upgrade"]);
}

fn data_is_all_there(server: &Server, fixture: &Value, [owner, ann, bob, _]: &[User; 4]) {
    let (all, _) = messages(fixture);
    let newest = [
        ("anchor", "newest"),
        ("num_before", "100"),
        ("num_after", "0"),
        ("apply_markdown", "false"),
    ];
    let found = ann.get("/messages", &newest).ok();
    let found = found["messages"].as_array().expect("messages");
    let contents: Vec<&str> = found
        .iter()
        .filter_map(|one| one["content"].as_str())
        .collect();
    assert_eq!(contents[..all.len()], all);
    let url = fixture["upload"]["url"].as_str().expect("url");
    let address = ann.get(url, &[]).ok()["url"].clone();
    let file = ann.fetch(address.as_str().expect("url"), &[]);
    assert_eq!(
        file.bytes,
        fixture["upload"]["content"].as_str().unwrap().as_bytes()
    );
    let status = bob.get(&format!("/users/{}/status", ann.user_id), &[]).ok();
    assert_eq!(status["status"]["status_text"], "has been here before");
    let password = "the password of the owner";
    let pairs = [("username", owner.email.as_str()), ("password", password)];
    server.anonymous().post("/fetch_api_key", &pairs).ok();
    for user in [owner, ann, bob] {
        let state = user.post("/register", &[]).ok();
        assert_eq!(state["realm_name"], "Previous");
    }
}

/// Features of this release work on the old data.
fn new_features_work(server: &Server, fixture: &Value, [owner, ann, bob, _]: &[User; 4]) {
    let narrow = r#"[{"operator": "search", "operand": "previous"}]"#;
    let pairs = [
        ("anchor", "newest"),
        ("num_before", "100"),
        ("num_after", "0"),
        ("narrow", narrow),
    ];
    let found = bob.get("/messages", &pairs).ok();
    assert_eq!(found["messages"].as_array().expect("messages").len(), 40);
    let id = &fixture["messages"][0]["id"];
    let path = format!("/messages/{id}/reactions");
    bob.post(&path, &[("emoji_name", "tada")]).ok();
    let draft = r#"[{"type": "", "to": [], "topic": "", "content": "a thought"}]"#;
    ann.post("/drafts", &[("drafts", draft)]).ok();
    let mut queue = Queue::of(ann, &["message"]);
    let time = (server.advance(0) + 20).to_string();
    let pairs = [
        ("message_id", id.to_string()),
        ("scheduled_delivery_timestamp", time),
    ];
    let pairs: Vec<(&str, &str)> = pairs
        .iter()
        .map(|(name, value)| (*name, &**value))
        .collect();
    ann.post("/reminders", &pairs).ok();
    server.advance(26);
    queue.expect(|event| event["message"]["sender_email"] == "notification-bot@spindle.invalid");
    owner.post("/export/realm", &[]).ok();
}

#[test]
fn queues_and_data_continue_under_this_release() {
    let folder = tempfile::tempdir().expect("folder");
    let (data, fixture) = previous(folder.path());
    let server = Server::spawn_on(data, Options::default());
    let people = people(&server, &fixture);
    queues_go_on(&fixture, &people);
    data_is_all_there(&server, &fixture, &people);
    new_features_work(&server, &fixture, &people);
    assert_sound(&server);
    let version = number(&server.database().sqlite(), "PRAGMA user_version");
    assert!(version > PREVIOUS);
}

#[test]
fn a_database_of_a_newer_release_is_refused() {
    let folder = tempfile::tempdir().expect("folder");
    let (data, _) = previous(folder.path());
    let path = data.join("spindle.db");
    let database = rusqlite::Connection::open(&path).expect("database");
    database
        .pragma_update(None, "user_version", 9999)
        .expect("pragma");
    database.close().expect("close");
    let before = std::fs::read(&path).expect("database");
    let said = refusal_to_serve(&data);
    assert!(said.contains("newer version"), "{said}");
    for command in ["list", "create"] {
        let mut words = vec!["admin", "user", command];
        if command == "create" {
            words.extend(["--email", "x@example.org", "--full-name", "X"]);
        }
        let output = run(&words, &data);
        assert!(!output.status.success(), "{command}");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains("newer version"), "{said}");
    }
    assert!(
        before == std::fs::read(&path).expect("database"),
        "it was written to"
    );
}

/// Makes the migration slow: many messages have to be indexed.
fn enlarge(data: &Path, count: i64) {
    let database = rusqlite::Connection::open(data.join("spindle.db")).expect("database");
    let sql =
        "WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < ?1)
        INSERT INTO messages (realm_id, sender_id, conversation_id, channel_id, topic, topic_folded,
            content, rendered_content, date_sent, client)
        SELECT m.realm_id, m.sender_id, m.conversation_id, m.channel_id, 'many', 'many',
            'one of many, word' || n || ' and word' || (n * 7), '<p>many</p>', m.date_sent, m.client
        FROM number, (SELECT * FROM messages WHERE channel_id IS NOT NULL LIMIT 1) m";
    database.execute(sql, [count]).expect("messages");
    database.close().expect("close");
}

/// Starts the new release, and kills it when the migration has written this much.
fn kill_in_the_middle(data: &Path, written: u64) {
    let log = data.join("spindle.db-wal");
    let mut child = Command::new(binary())
        .args([
            "serve",
            "--listen",
            "127.0.0.1:0",
            "--ops-listen",
            "none",
            "--data-dir",
        ])
        .arg(data)
        .current_dir(repository())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("spindle serve");
    let pause = Duration::from_millis(1);
    until_within(PATIENCE, pause, "the migration writes", || {
        (log.metadata().map_or(0, |found| found.len()) >= written).then_some(())
    });
    child.kill().expect("kill");
    child.wait().expect("wait");
}

#[test]
fn a_killed_migration_is_rolled_back() {
    let folder = tempfile::tempdir().expect("folder");
    let (data, fixture) = previous(folder.path());
    enlarge(&data, 60_000);
    let messages = "SELECT count(*) FROM messages";
    let count = {
        let database = rusqlite::Connection::open(data.join("spindle.db")).expect("database");
        number(&database, messages)
    };
    for written in [1, 1 << 20, 3 << 20] {
        kill_in_the_middle(&data, written);
        let database = rusqlite::Connection::open(data.join("spindle.db")).expect("database");
        assert_eq!(number(&database, "PRAGMA user_version"), PREVIOUS);
        assert_eq!(number(&database, messages), count);
        let new = "SELECT count(*) FROM sqlite_schema WHERE name IN ('reactions', 'drafts')";
        assert_eq!(number(&database, new), 0);
    }
    let server = Server::spawn_on(data, Options::default());
    let people = people(&server, &fixture);
    queues_go_on(&fixture, &people);
    let indexed = "SELECT count(*) FROM message_search WHERE message_search MATCH 'many'";
    until("all are indexed", || {
        number(&server.database().sqlite(), indexed) == 60_000
    });
    assert_sound(&server);
}
