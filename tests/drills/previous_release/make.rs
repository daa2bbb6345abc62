//! Makes the data directory of the previous release from which `tests/drills/upgrade.rs` starts.
//!
//! It is compiled and run within the sources of that release (`scripts/make-upgrade-fixture`), so
//! that every row is written by that release's own code: organization, accounts, messages, an
//! upload, the event log and the queues. Only the files of its host next to the database, positions
//! and blobs, are written by hand, in the form that its `host/queues/src/journal/store.rs` and
//! `host/blobs/src/file.rs` gave them. Argument: the directory to write.

use std::io::Write as _;
use std::path::Path;

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use spindle_actions::{Actor, NewRealm, create_realm};
use spindle_actions::account::authenticate;
use spindle_actions::files::{begin_upload, finish_upload};
use spindle_actions::messages::{Destination, MessageInput, send_message};
use spindle_actions::organization::announce_restart;
use spindle_actions::queues::{RegisterInput, register};
use spindle_actions::users::{NewAccount, StatusInput, create_user, set_user_status};
use spindle_domain::narrow::{ChannelReference, UserReference};
use spindle_domain::{Role, UserId};
use spindle_events::Capabilities;
use spindle_store::{RusqliteDb, open};

/// UNIX seconds of everything in the fixture.
const NOW: i64 = 1_794_000_000;
/// The uptime of that server, in milliseconds.
const RUNNING_MS: i64 = 5_000_000;
const SITE: &str = "http://127.0.0.1:3000";

const QUEUES: &str = "
CREATE TABLE meta (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE positions (
    queue_id  TEXT PRIMARY KEY,
    acked_id  INTEGER NOT NULL,
    next_seq  INTEGER NOT NULL,
    skip      INTEGER NOT NULL,
    active_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE heartbeats (
    queue_id  TEXT NOT NULL,
    id        INTEGER NOT NULL,
    PRIMARY KEY (queue_id, id)
) STRICT, WITHOUT ROWID;
CREATE TABLE ended (queue_id TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
";

fn queue(db: &RusqliteDb<'_>, actor: &Actor, event_types: Option<&[&str]>) -> String {
    let types = event_types.map(|types| types.iter().map(|&name| name.to_owned()).collect());
    let input = RegisterInput {
        event_types: types,
        fetch_event_types: Some(Vec::new()),
        client_capabilities: Capabilities {
            bulk_message_deletion: true,
            empty_topic_name: true,
            ..Capabilities::default()
        },
        // A day, as apps request it.
        idle_queue_timeout_secs: 86_400,
        external_url: SITE.to_owned(),
        ..RegisterInput::default()
    };
    let registered = register(db, Some(actor), NOW, &input).expect("register");
    registered.queue_id.expect("a queue")
}

fn send(db: &RusqliteDb<'_>, actor: &Actor, destination: Destination, content: &str) -> i64 {
    let input = MessageInput {
        destination,
        content: content.to_owned(),
        client: "fixture".to_owned(),
        read_by_sender: None,
        local: None,
        realm_url: SITE.to_owned(),
    };
    send_message(db, actor, NOW, &input).expect("message").get()
}

fn general(topic: &str) -> Destination {
    Destination::Channel {
        channel: ChannelReference::Name("general".to_owned()),
        topic: topic.to_owned(),
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn put_blob(root: &Path, key: &str, content: &[u8]) {
    let name = hexadecimal(&Sha256::digest(key));
    let (folder, rest) = name.split_at(2);
    std::fs::create_dir_all(root.join(folder)).expect("folder");
    let header = json!({
        "key": key,
        "content_type": "text/plain",
        "sha256": hexadecimal(&Sha256::digest(content)),
    });
    let header = header.to_string();
    let mut file = std::fs::File::create(root.join(folder).join(rest)).expect("blob");
    let length = u32::try_from(header.len()).expect("length").to_be_bytes();
    for part in [&length[..], header.as_bytes(), content] {
        file.write_all(part).expect("blob");
    }
}

fn main() {
    let folder = std::env::args().nth(1).expect("the directory to write");
    let folder = Path::new(&folder);
    let mut connection = open(&folder.join("spindle.db")).expect("database");
    spindle_store::migrate(&mut connection).expect("migrations");
    let db = RusqliteDb::new(&connection);

    let account = |email: &str, full_name: &str| NewAccount {
        email: email.to_owned(),
        full_name: full_name.to_owned(),
        role: Some(Role::Member),
        ..NewAccount::default()
    };
    let new = NewRealm {
        name: "Previous".to_owned(),
        owner: NewAccount {
            password: Some("the password of the owner".to_owned()),
            ..account("owner@example.org", "Olga Owner")
        },
    };
    let mut people = vec![create_realm(&db, NOW, &new).expect("organization").owner];
    for (email, name) in [
        ("ann@example.org", "Ann"),
        ("bob@example.org", "Bob"),
        ("cat@example.org", "Cat"),
    ] {
        people.push(create_user(&db, None, 1, NOW, &account(email, name)).expect("account"));
    }
    announce_restart(&db, 1, NOW - 5000).expect("start");
    let actors: Vec<Actor> = people
        .iter()
        .map(|one| authenticate(&db, &one.email, &one.api_key, NOW).expect("key"))
        .collect();
    let (ann, bob, cat) = (&actors[1], &actors[2], &actors[3]);

    let read_half = queue(&db, ann, Some(&["message"]));
    let never_polled = queue(&db, bob, None);
    let with_heartbeat = queue(&db, cat, Some(&["message"]));
    let ended = queue(&db, cat, Some(&["message"]));

    let mut messages = Vec::new();
    for number in 0..40 {
        let actor = if number % 2 == 0 { ann } else { bob };
        let content = format!("number {number} of the **previous** release");
        let id = send(&db, actor, general(if number < 20 { "old" } else { "older" }), &content);
        messages.push(json!({"id": id, "content": content}));
    }
    for number in 0..4 {
        let content = format!("only for Ann: {number}");
        let to = Destination::Direct(vec![UserReference::Id(UserId(ann.user_id.get()))]);
        let id = send(&db, bob, to, &content);
        messages.push(json!({"id": id, "content": content}));
    }
    let status = StatusInput {
        status_text: Some("has been here before".to_owned()),
        ..StatusInput::default()
    };
    set_user_status(&db, ann, NOW, ann.user_id, &status).expect("status");
    let file = b"what was uploaded before";
    let upload = begin_upload(&db, ann, NOW, "before.txt", file.len()).expect("upload");
    put_blob(&folder.join("blobs"), &upload.blob_key, file);
    let uploaded = finish_upload(&db, NOW, upload, "text/plain", None).expect("upload");
    let content = format!("[before.txt]({})", uploaded.url);
    let id = send(&db, ann, general("files"), &content);
    messages.push(json!({"id": id, "content": content}));

    // The messages of general in the log, which all three receive, in their order.
    let mut statement = connection
        .prepare("SELECT seq FROM event_log WHERE type = 'message' ORDER BY seq")
        .expect("log");
    let rows = statement.query_map([], |row| row.get(0)).expect("log");
    let logged: Vec<i64> = rows.map(|row| row.expect("row")).collect();

    let positions = rusqlite::Connection::open(folder.join("queues.db")).expect("positions");
    positions
        .pragma_update(None, "journal_mode", "wal")
        .expect("journal");
    positions.execute_batch(QUEUES).expect("tables");
    let run = |sql: &str, values: &[&dyn rusqlite::ToSql]| {
        positions.execute(sql, values).expect("row");
    };
    run(
        "INSERT INTO meta VALUES ('lost_up_to', 0), ('running_ms', ?1)",
        &[&RUNNING_MS],
    );
    // Ann's client had received twenty messages and had acknowledged the first ten.
    run(
        "INSERT INTO positions VALUES (?1, 9, ?2, 0, ?3)",
        &[&read_half, &(logged[9] + 1), &(RUNNING_MS - 30_000)],
    );
    // Cat's client had received a heartbeat before the first message, and has not acknowledged it.
    run(
        "INSERT INTO positions VALUES (?1, -1, ?2, 0, ?3)",
        &[&with_heartbeat, &logged[0], &(RUNNING_MS - 30_000)],
    );
    run("INSERT INTO heartbeats VALUES (?1, 0)", &[&with_heartbeat]);
    run("INSERT INTO ended VALUES (?1)", &[&ended]);
    drop(positions);

    let people: Vec<Value> = people
        .iter()
        .map(|one| {
            json!({"user_id": one.user_id.get(), "email": one.email, "api_key": one.api_key})
        })
        .collect();
    let description = json!({
        "people": people,
        "messages": messages,
        "upload": {"url": uploaded.url, "content": String::from_utf8_lossy(file)},
        "queues": {
            "read_half": read_half,
            "never_polled": never_polled,
            "with_heartbeat": with_heartbeat,
            "ended": ended,
        },
    });
    let text = serde_json::to_string_pretty(&description).expect("JSON");
    std::fs::write(folder.join("fixture.json"), text).expect("description");
    drop(statement);
    connection.close().expect("close");
}
