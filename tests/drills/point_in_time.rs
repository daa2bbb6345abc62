//! PostgreSQL goes back to a moment, by the commands of `docs/CLUSTER.md`: what was acknowledged before is there, what came
//! after is not, and clients begin again.

use std::path::Path;
use std::process::Output;

use spindle_test_postgres::Server as Postgres;
use spindle_tests::server::{DATABASE_URL, repository};
use spindle_tests::{Client, Options, Queue, Server, free_port};

use crate::support::until;

const DATABASE: &str = "spindle";
const PASSWORD: &str = "correct-horse-9-battery";
/// The moment in the document.
const MOMENT: &str = "2026-11-25 09:30:00+00";
/// The line above each block that this test runs.
const MARK: &str = "<!-- not run: tests/drills/point_in_time.rs ";

/// The document with the paths of this test.
struct Document(String);

impl Document {
    fn read(folder: &Path) -> Self {
        let text = std::fs::read_to_string(repository().join("docs/CLUSTER.md")).expect("it");
        let folder = folder.display();
        let text = text
            .replace("/var/backups/", &format!("{folder}/backups/"))
            .replace("/var/lib/postgresql/", &format!("{folder}/"));
        Self(text)
    }

    /// The blocks that this test runs: base backup, restore, end of the queues.
    fn blocks(&self) -> [&str; 3] {
        let blocks = self.0.split(MARK).skip(1).map(|rest| {
            let (_, rest) = rest.split_once("```sh\n").expect("a block");
            let (block, _) = rest.split_once("```").expect("its end");
            block
        });
        let blocks: Vec<&str> = blocks.collect();
        blocks.try_into().expect("three blocks")
    }

    /// The value of a setting.
    fn setting(&self, name: &str) -> &str {
        let start = format!("{name} = '");
        let line = self.0.lines().find_map(|line| line.strip_prefix(&start));
        let value = line.and_then(|line| line.split('\'').next());
        value.expect("a setting")
    }
}

/// The restored server, until this is dropped.
struct Restored<'p> {
    postgres: &'p Postgres,
    port: u16,
}

impl Drop for Restored<'_> {
    fn drop(&mut self) {
        let folder = self.postgres.socket_folder().display();
        let stop = format!("pg_ctl --pgdata={folder}/restored --mode=immediate stop");
        self.postgres.shell(self.port, &stop);
    }
}

#[track_caller]
fn succeed(output: &Output) {
    assert!(
        output.status.success(),
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
}

fn options(url: &str) -> Options {
    Options {
        environment: vec![
            (DATABASE_URL.to_owned(), url.to_owned()),
            ("SPINDLE_OWNER_PASSWORD".to_owned(), PASSWORD.to_owned()),
        ],
        ..Options::default()
    }
}

fn owner_of(server: &Server) -> Client {
    let credentials = [("username", "owner@example.org"), ("password", PASSWORD)];
    let key = server.anonymous().post("/fetch_api_key", &credentials).ok();
    let key = key["api_key"].as_str().expect("a key").to_owned();
    Client::new(server.base_url(), Some(("owner@example.org", &key)))
}

fn send(client: &Client, content: &str) {
    let message = [
        ("type", "channel"),
        ("to", "general"),
        ("topic", "tea"),
        ("content", content),
    ];
    client.post("/messages", &message).ok();
}

/// Contents of the messages in the topic.
fn contents(client: &Client) -> Vec<String> {
    let query = [
        ("narrow", r#"[{"operator": "topic", "operand": "tea"}]"#),
        ("anchor", "newest"),
        ("num_before", "100"),
        ("num_after", "0"),
        ("apply_markdown", "false"),
    ];
    let found = client.get("/messages", &query).ok();
    let messages = found["messages"].as_array().expect("messages");
    let content = |message: &serde_json::Value| message["content"].as_str().map(str::to_owned);
    messages.iter().filter_map(content).collect()
}

/// Turns the archive on, as the document says.
fn archive(postgres: &Postgres, document: &Document) {
    let folder = postgres.socket_folder().display();
    let folders = format!("mkdir --parents {folder}/backups/wal {folder}/backups/base");
    succeed(&postgres.shell(postgres.port(), &folders));
    let command = document.setting("archive_command");
    postgres.psql("postgres", "ALTER SYSTEM SET archive_mode = on");
    postgres.psql(
        "postgres",
        &format!("ALTER SYSTEM SET archive_command = '{command}'"),
    );
    postgres.stop();
    postgres.start_again();
}

/// Waits until the archive has everything up to now.
fn wait_for_the_archive(postgres: &Postgres) {
    let last = postgres.psql("postgres", "SELECT pg_walfile_name(pg_switch_wal())");
    let is_there = "SELECT last_archived_wal FROM pg_stat_archiver";
    until("the archive has it", || {
        postgres.psql("postgres", is_there) >= last
    });
}

/// Makes a server of the moment by the commands of the document.
fn restore<'p>(postgres: &'p Postgres, document: &Document, moment: &str) -> Restored<'p> {
    let [_, restore, end_queues] = document.blocks();
    let port = free_port();
    let folder = postgres.socket_folder().display();
    // What the other server has from its command line.
    let settings = format!(
        "-c port={port} -c unix_socket_directories={folder} -c listen_addresses=127.0.0.1 \
         -c max_connections=300 -c fsync=off"
    );
    let (command, start) = ("pg_ctl --pgdata", "--wait start\n");
    assert!(restore.contains(MOMENT) && restore.contains(command) && restore.contains(start));
    let restore = restore
        .replace(MOMENT, moment)
        .replace(start, &format!("--options='{settings}' {start}"));
    let restored = Restored { postgres, port };
    succeed(&postgres.shell(port, &restore));
    succeed(&postgres.shell(port, end_queues));
    restored
}

#[test]
fn the_database_goes_back_to_a_moment() {
    let Some(postgres) = Postgres::start(&["fsync=off"]) else {
        spindle_tests::skip("PostgreSQL is missing (scripts/install-postgres)");
        return;
    };
    let document = Document::read(postgres.socket_folder());
    archive(&postgres, &document);
    postgres.psql("postgres", &format!("CREATE DATABASE {DATABASE}"));
    let url = postgres.url(DATABASE);
    let mut node = Server::spawn(options(&url));
    let owner = owner_of(&node);
    let mut queue = Queue::of(&owner, &["message"]);
    send(&owner, "before the base backup");
    let [base_backup, _, _] = document.blocks();
    succeed(&postgres.shell(postgres.port(), base_backup));
    send(&owner, "after the base backup");
    queue.wait();
    let moment = postgres.psql("postgres", "SELECT clock_timestamp()");
    send(&owner, "a mistake");
    queue.wait();
    assert_eq!(contents(&owner).len(), 3);
    wait_for_the_archive(&postgres);
    node.kill();

    let restored = restore(&postgres, &document, &moment);
    let there = url.replace(
        &format!(":{}/", postgres.port()),
        &format!(":{}/", restored.port),
    );
    let node = Server::spawn(options(&there));
    let owner = owner_of(&node);
    assert_eq!(
        contents(&owner),
        ["before the base backup", "after the base backup"]
    );
    // The client has seen an event that is gone: its queue is gone as well, and it registers again.
    let query = [
        ("queue_id", &*queue.queue_id),
        ("last_event_id", &*queue.last_event_id.to_string()),
    ];
    let refused = owner.get("/events", &query);
    refused.error(400, "BAD_EVENT_QUEUE_ID");
    let mut queue = Queue::of(&owner, &["message"]);
    send(&owner, "after the restore");
    let content = queue.wait()[0]["message"]["content"].clone();
    assert!(
        content
            .as_str()
            .is_some_and(|content| content.contains("after the restore"))
    );
    node.admin(&["check"]);
}
