//! Work that no request waits for, on two servers that share a database: each call, notification, scheduled message and
//! reminder happens once, also when the server that had claimed it is killed in the middle.

use std::collections::BTreeSet;
use std::path::PathBuf;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use spindle_test_postgres::Database;
use spindle_tests::fixture::{self, ChannelKind};
use spindle_tests::server::{DATABASE_URL, runs_of};
use spindle_tests::{Client, Options, Queue, Server, User, until};

use crate::counting_service::Service;

/// Longer than a claim of a call lasts.
const CLAIM_IS_OVER: u64 = 61;
const BOTS: &str = "call-bots";
const PUSH: &str = "call-push-service";
const EXPIRY: &str = "expire-messages";
const DELIVERY: &str = "deliver-scheduled-messages";

/// Two servers; connections to the database are named `node0` and `node1`.
struct Nodes {
    servers: [Server; 2],
    owners: [Client; 2],
    database: Database<'static>,
}

/// The same user as a client of each server.
fn at_each(servers: &[Server; 2], user: &User) -> [Client; 2] {
    let credentials = Some((user.email.as_str(), user.api_key.as_str()));
    let client = |server: &Server| Client::new(server.base_url(), credentials);
    servers.each_ref().map(client)
}

impl Nodes {
    /// Nothing where PostgreSQL is not installed.
    fn start(extra: &[&str]) -> Option<Self> {
        let database = spindle_test_postgres::shared()?.database();
        let extra: Vec<String> = extra.iter().map(|word| (*word).to_owned()).collect();
        let start = |number: usize, folder: PathBuf| {
            let url = format!("{}?application_name=node{number}", database.url());
            let options = Options {
                extra: extra.clone(),
                environment: vec![(DATABASE_URL.to_owned(), url)],
                ..Options::default()
            };
            Server::spawn_on(folder, options)
        };
        let [one, two] = [(); 2].map(|()| tempfile::tempdir().expect("a directory").keep());
        std::fs::create_dir(one.join("blobs")).expect("a directory");
        std::os::unix::fs::symlink(one.join("blobs"), two.join("blobs")).expect("a link");
        let servers = [start(0, one), start(1, two)];
        let owner = servers[0].user("owner");
        Some(Self {
            owners: at_each(&servers, &owner),
            servers,
            database,
        })
    }

    fn clients(&self, user: &User) -> [Client; 2] {
        at_each(&self.servers, user)
    }

    fn advance(&self, seconds: u64) {
        for server in &self.servers {
            server.advance(seconds);
        }
    }

    /// Advances both clocks until `done`, and then by more than a claim lasts: a job runs again and again, and
    /// nothing may happen twice.
    #[track_caller]
    fn work_until(&self, what: &str, job: &str, mut done: impl FnMut() -> bool) {
        until(what, || {
            self.advance(1);
            done().then_some(())
        });
        for _ in 0..8 {
            let before = self.runs_of(job);
            until("the job runs again", || {
                self.advance(8);
                (self.runs_of(job) > before).then_some(())
            });
        }
    }

    /// How often a job has run, on both.
    fn runs_of(&self, job: &str) -> u64 {
        self.owners.iter().map(|owner| runs_of(owner, job)).sum()
    }

    /// Kills the server that has made the only call that `service` keeps waiting; returns the number of the other one.
    fn kill_caller(&mut self, service: &Service) -> usize {
        for other in [1, 0] {
            self.servers[1 - other].kill();
            if service.caller_is_gone() {
                return other;
            }
            self.servers[1 - other].restart();
        }
        panic!("no server has made the call");
    }

    fn number(&self, sql: &str) -> i64 {
        self.database.psql(sql).parse().expect("a number")
    }
}

fn send(client: &Client, pairs: &[(&str, &str)], content: &str) -> i64 {
    let message = [pairs, &[("content", content)]].concat();
    client.post("/messages", &message).ok()["id"]
        .as_i64()
        .expect("an id")
}

#[test]
fn each_call_of_a_bot_is_made_by_one_node() {
    const CALLS: usize = 20;
    let Some(mut nodes) = Nodes::start(&["--bot-networks", "127.0.0.0/8"]) else {
        return;
    };
    let (service, url) = Service::start(r#"{"content": "heard"}"#);
    let user = nodes.servers[0].user("member");
    let clients = nodes.clients(&user);
    let bot = [
        ("full_name", "Echo"),
        ("short_name", "echo"),
        ("bot_type", "3"),
        ("payload_url", &*url),
    ];
    let bot = clients[1].post("/bots", &bot).ok()["user_id"].to_string();
    let to = format!("[{bot}]");
    let direct = [("type", "direct"), ("to", &*to)];
    let sent: BTreeSet<i64> = (0..CALLS)
        .map(|number| send(&clients[number % 2], &direct, "hello"))
        .collect();
    let answers = format!("SELECT count(*) FROM messages WHERE sender_id = {bot}");
    let answered = |nodes: &Nodes| usize::try_from(nodes.number(&answers)).expect("a number");
    nodes.work_until("the answers", BOTS, || answered(&nodes) >= CALLS);
    let called = |service: &Service| -> Vec<i64> {
        let id = |(_, body): (String, String)| {
            let body: Value = serde_json::from_str(&body).expect("JSON");
            body["message"]["id"].as_i64().expect("an id")
        };
        service.calls().into_iter().map(id).collect()
    };
    let mut once = called(&service);
    once.sort_unstable();
    assert_eq!(once, sent.into_iter().collect::<Vec<_>>());
    assert_eq!(answered(&nodes), CALLS);

    // A server is killed while the service has its call: the other one makes it again, and one answer is written.
    service.be_silent(true);
    let last = send(&clients[0], &direct, "hello again");
    until("the call", || {
        nodes.advance(1);
        (called(&service).len() > CALLS).then_some(())
    });
    let other = nodes.kill_caller(&service);
    service.be_silent(false);
    nodes.servers[other].advance(CLAIM_IS_OVER);
    until("the answer", || {
        nodes.servers[other].advance(1);
        (answered(&nodes) > CALLS).then_some(())
    });
    nodes.servers[1 - other].restart();
    nodes.work_until("nothing more", BOTS, || true);
    assert_eq!(called(&service)[CALLS..], [last, last]);
    assert_eq!(answered(&nodes), CALLS + 1);
    assert_eq!(nodes.number("SELECT count(*) FROM bot_calls"), 0);
}

const PUSH_ANSWER: &str = r#"{"result": "success", "msg": "", "android_successfully_sent_count": 1,
    "apple_successfully_sent_count": 0, "delete_token_ids": [], "delete_device_ids": []}"#;

#[test]
fn each_notification_is_pushed_by_one_node() {
    const PUSHES: usize = 20;
    let (service, url) = Service::start(PUSH_ANSWER);
    let folder = tempfile::tempdir().expect("a directory");
    let key = folder.path().join("push.key");
    std::fs::write(&key, "a secret of both\n").expect("a key");
    let Some(mut nodes) = Nodes::start(&[
        "--push-service",
        &url,
        "--push-service-id",
        "9aa61d0b-8ce5-488d-8e9e-fedc346e6836",
        "--push-service-key-file",
        key.to_str().expect("a path"),
        "--external-url",
        "https://chat.example.org",
    ]) else {
        return;
    };
    let (user, sender) = (
        nodes.servers[0].user("member"),
        nodes.servers[0].user("member"),
    );
    let senders = nodes.clients(&sender);
    let device = user.post("/register_client_device", &[]).ok()["device_id"].to_string();
    let mut push_key = vec![0x31_u8];
    push_key.extend([7; 32]);
    let push_key = STANDARD.encode(push_key);
    let registration = [
        ("device_id", &*device),
        ("push_key", &push_key),
        ("push_key_id", "2408"),
        ("token_kind", "fcm"),
        ("token_id", "token of a phone"),
        ("bouncer_public_key", "key of the service"),
        ("encrypted_push_registration", "sealed for the service"),
    ];
    user.post("/mobile_push/register", &registration).ok();
    nodes.work_until("the registration", PUSH, || {
        nodes.number("SELECT count(*) FROM devices WHERE push_token_id IS NOT NULL") == 1
    });
    assert_eq!(service.calls().len(), 1);
    // The keys by which the service knows repeated calls.
    let pushed = |service: &Service| -> Vec<String> {
        let key = |(head, _): &(String, String)| {
            let key = head.split("idempotency-key: ").nth(1)?;
            Some(key.split("\r\n").next()?.to_owned())
        };
        let calls = service.calls();
        let notices = calls.iter().filter(|(head, _)| head.contains("/notify "));
        notices.map(|call| key(call).expect("a key")).collect()
    };
    let to = format!("[{}]", user.user_id);
    let direct = [("type", "direct"), ("to", &*to)];
    for number in 0..PUSHES {
        send(&senders[number % 2], &direct, "hello");
    }
    nodes.work_until("the notifications", PUSH, || {
        pushed(&service).len() >= PUSHES
    });
    let keys: BTreeSet<String> = pushed(&service).into_iter().collect();
    assert_eq!((keys.len(), pushed(&service).len()), (PUSHES, PUSHES));

    service.be_silent(true);
    send(&senders[0], &direct, "hello again");
    until("the call", || {
        nodes.advance(1);
        (pushed(&service).len() > PUSHES).then_some(())
    });
    let other = nodes.kill_caller(&service);
    service.be_silent(false);
    nodes.servers[other].advance(CLAIM_IS_OVER);
    until("the call of the other server", || {
        nodes.servers[other].advance(1);
        (nodes.number("SELECT count(*) FROM push_calls") == 0).then_some(())
    });
    nodes.servers[1 - other].restart();
    nodes.work_until("nothing more", PUSH, || true);
    let keys = pushed(&service);
    assert_eq!(keys.len(), PUSHES + 2);
    assert_eq!(keys[PUSHES], keys[PUSHES + 1], "the phone gets it once");
}

#[test]
fn what_is_due_is_sent_once_though_the_node_that_sends_it_is_killed() {
    const DUE: i64 = 10;
    let Some(mut nodes) = Nodes::start(&[]) else {
        return;
    };
    let user = nodes.servers[0].user("member");
    let clients = nodes.clients(&user);
    let own = format!("[{}]", user.user_id);
    let time = |nodes: &Nodes| (nodes.servers[0].advance(0) + 60).to_string();
    for number in 0..DUE {
        let client = &clients[usize::from(number % 2 == 0)];
        let (time, content) = (time(&nodes), format!("later {number}"));
        let scheduled = [
            ("type", "direct"),
            ("to", &*own),
            ("content", &content),
            ("scheduled_delivery_timestamp", &time),
        ];
        client.post("/scheduled_messages", &scheduled).ok();
        let about = send(client, &[("type", "direct"), ("to", &own)], "remember").to_string();
        let reminder = [
            ("message_id", about.as_str()),
            ("scheduled_delivery_timestamp", &time),
        ];
        client.post("/reminders", &reminder).ok();
    }
    let count = |nodes: &Nodes, condition: &str| {
        nodes.number(&format!(
            "SELECT count(*) FROM messages m JOIN users u ON u.id = m.sender_id WHERE {condition}"
        ))
    };
    let (messages, reminders) = (
        "m.content LIKE 'later %'",
        "u.email LIKE 'notification-bot%'",
    );
    assert_eq!((count(&nodes, messages), count(&nodes, reminders)), (0, 0));
    // Whichever server claims the timer sends the messages and waits at the reminders.
    let connection = nodes.servers[0].database();
    let held = connection.transaction();
    held.execute_batch("LOCK TABLE reminders IN ACCESS EXCLUSIVE MODE")
        .expect("a lock");
    nodes.advance(70);
    let waiting = "SELECT application_name FROM pg_stat_activity WHERE datname = current_database() \
        AND wait_event_type = 'Lock' AND query LIKE '%reminders%' ORDER BY query_start LIMIT 1";
    let claimed = until("a server waits", || {
        Some(nodes.database.psql(waiting)).filter(|name| !name.is_empty())
    });
    assert_eq!(count(&nodes, messages), DUE);
    let killed = match claimed.as_str() {
        "node0" => 0,
        "node1" => 1,
        other => panic!("{other:?} waits"),
    };
    nodes.servers[killed].kill();
    drop(held);
    let other = &nodes.servers[1 - killed];
    until("the reminders", || {
        other.advance(5);
        (count(&nodes, reminders) >= DUE).then_some(())
    });
    nodes.servers[killed].restart();
    nodes.work_until("nothing more", DELIVERY, || true);
    assert_eq!(
        (count(&nodes, messages), count(&nodes, reminders)),
        (DUE, DUE)
    );
    let left =
        "SELECT (SELECT count(*) FROM reminders) + (SELECT count(*) FROM scheduled_messages)";
    assert_eq!(nodes.number(left), 0);
}

/// Messages whose time is over are deleted in parts, and each deletion is one event.
#[test]
fn each_message_expires_once() {
    const OLD: usize = 150;
    let Some(nodes) = Nodes::start(&[]) else {
        return;
    };
    let owner = nodes.servers[0].user("owner");
    let clients = nodes.clients(&owner);
    let channel = fixture::channel(&nodes.servers[0], ChannelKind::Public, &[&owner]);
    let id = channel.id();
    let to = [("type", "channel"), ("to", &*id), ("topic", "old")];
    let sent: BTreeSet<i64> = (0..OLD)
        .map(|number| send(&clients[number % 2], &to, "x"))
        .collect();
    nodes
        .database
        .psql("UPDATE messages SET date_sent = date_sent - 864000 WHERE topic = 'old'");
    // The job has an interval of a minute, and runs for longer than a queue is idle by default.
    let kept = [
        ("event_types", "[\"delete_message\"]"),
        ("fetch_event_types", "[]"),
        ("idle_queue_timeout", "86400"),
    ];
    let mut queue = Queue::open(&clients[1], &kept);
    let days = [("message_retention_days", "5")];
    clients[0].patch(&format!("/streams/{id}"), &days).ok();
    let left = "SELECT count(*) FROM messages WHERE topic = 'old'";
    nodes.work_until("they expire", EXPIRY, || {
        nodes.advance(30);
        nodes.number(left) == 0
    });
    let mut deleted: Vec<i64> = Vec::new();
    while deleted.len() < OLD {
        let events = queue.wait();
        let of_one = events
            .iter()
            .filter_map(|event| event["message_id"].as_i64());
        deleted.extend(of_one);
    }
    deleted.sort_unstable();
    assert_eq!(deleted, sent.into_iter().collect::<Vec<_>>());
    assert!(queue.poll().is_empty());
}
