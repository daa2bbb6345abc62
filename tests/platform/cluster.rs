//! Two servers on one database of PostgreSQL serve one organization, and either may end at any time.

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use serde_json::Value;
use spindle_test_postgres::Database;
use spindle_tests::server::DATABASE_URL;
use spindle_tests::{Client, Options, Queue, Server, until};

const PASSWORD: &str = "correct-horse-9-battery";

pub fn options(database: &Database) -> Options {
    Options {
        environment: vec![(DATABASE_URL.to_owned(), database.url()), password()],
        ..Options::default()
    }
}

/// The variable with the owner's password.
pub fn password() -> (String, String) {
    ("SPINDLE_OWNER_PASSWORD".to_owned(), PASSWORD.to_owned())
}

/// A second node next to `first`, with the same files.
pub fn beside(first: &Server, database: &Database) -> Server {
    let files = first.directory().expect("a directory").join("blobs");
    let folder = tempfile::tempdir().expect("a directory").keep();
    std::os::unix::fs::symlink(files, folder.join("blobs")).expect("a link");
    Server::spawn_on(folder, options(database))
}

/// The owner as a client of a node that has not made the account.
pub fn owner_at(server: &Server) -> Client {
    let credentials = [("username", "owner@example.org"), ("password", PASSWORD)];
    let key = server.anonymous().post("/fetch_api_key", &credentials).ok();
    let text = |name: &str| key[name].as_str().expect("a text").to_owned();
    let (email, key) = (text("email"), text("api_key"));
    Client::new(server.base_url(), Some((&email, &key)))
}

fn send(client: &Client, content: &str) -> Option<i64> {
    let message = [
        ("type", "channel"),
        ("to", "general"),
        ("topic", "tea"),
        ("content", content),
    ];
    let call = spindle_tests::Call::new("POST", "/messages").form(&message);
    let reply = client.try_send(&call).ok()?;
    reply.body["id"].as_i64().filter(|_| reply.status == 200)
}

/// Events of a queue, polled at one node after the other; a node that does not answer is passed over.
struct Wandering {
    id: String,
    last: i64,
    nodes: Vec<Client>,
    polls: usize,
}

impl Wandering {
    fn of(nodes: &[&Client]) -> Self {
        let types = [("event_types", r#"["message"]"#)];
        let queue = nodes[0].post("/register", &types).ok();
        Self {
            id: queue["queue_id"].as_str().expect("a queue").to_owned(),
            last: queue["last_event_id"].as_i64().expect("an id"),
            nodes: nodes.iter().copied().cloned().collect(),
            polls: 0,
        }
    }

    /// Ids of messages that have come, in their order. Panics when an id of an event is missing or repeated.
    fn poll(&mut self) -> Vec<i64> {
        self.polls += 1;
        let node = &self.nodes[self.polls % self.nodes.len()];
        let last = self.last.to_string();
        let query = [
            ("queue_id", &*self.id),
            ("last_event_id", &last),
            ("dont_block", "true"),
        ];
        let call = spindle_tests::Call::new("GET", "/events").query(&query);
        let Ok(reply) = node.try_send(&call) else {
            return Vec::new();
        };
        assert_eq!(reply.status, 200, "{}", reply.body);
        let events = reply.body["events"].as_array().cloned().unwrap_or_default();
        for event in &events {
            self.last += 1;
            assert_eq!(event["id"], self.last, "{events:?}");
        }
        let message = |event: &Value| event["message"]["id"].as_i64();
        events.iter().filter_map(message).collect()
    }
}

#[test]
fn two_nodes_serve_one_organization() {
    let Some(postgres) = spindle_test_postgres::shared() else {
        return;
    };
    let database = postgres.database();
    let one = Server::spawn(options(&database));
    let two = beside(&one, &database);
    let owner = one.owner();
    let there = owner_at(&two);
    // A change at one is visible at the other immediately, and its event reaches polls that are held there.
    let mut queue = Queue::of(&there, &["message"]);
    let sent = send(&owner, "from one").expect("sent");
    assert_eq!(queue.wait()[0]["message"]["id"], sent);
    let path = format!("/messages/{sent}");
    assert_eq!(there.get(&path, &[]).ok()["raw_content"], "from one");
    // A queue is deleted for both. A poll that comes before the other node knows is held, and then ends without events.
    let mut other = Wandering::of(&[&owner, &there]);
    assert!(other.poll().is_empty());
    let gone = [("queue_id", &*other.id)];
    owner.delete("/events", &gone).ok();
    let query = [("queue_id", &*other.id), ("last_event_id", "-1")];
    let mut ended = there.get("/events", &query);
    if ended.status == 200 {
        assert_eq!(ended.ok()["events"], Value::Array(Vec::new()));
        ended = there.get("/events", &query);
    }
    ended.error(400, "BAD_EVENT_QUEUE_ID");
    // Files, and addresses that one node has signed.
    let file = owner.upload("/user_uploads", "a.txt", b"tea leaves").ok();
    let url = file["url"].as_str().expect("an address").to_owned();
    assert_eq!(there.fetch(&url, &[]).bytes, b"tea leaves");
    let signed = there
        .get(url.strip_prefix('/').map_or(&*url, |_| &url), &[])
        .ok();
    let signed = signed["url"].as_str().expect("a signed address");
    assert_eq!(one.anonymous().fetch(signed, &[]).bytes, b"tea leaves");
    // A message that is due is sent once.
    let due = one.advance(0).max(two.advance(0)) + 60;
    let scheduled = [
        ("type", "channel"),
        ("to", "1"),
        ("topic", "later"),
        ("content", "once"),
        ("scheduled_delivery_timestamp", &*due.to_string()),
    ];
    owner.post("/scheduled_messages", &scheduled).ok();
    for server in [&one, &two] {
        server.advance(120);
    }
    let message = queue.expect(|event| event["type"] == "message");
    assert_eq!(message["message"]["subject"], "later");
    for server in [&one, &two] {
        server.advance(5);
    }
    let last = send(&owner, "the end").expect("sent");
    assert_eq!(queue.wait()[0]["message"]["id"], last);
}

/// As the pods of a new deployment do: one of them makes the organization, and has the credentials of its owner.
#[test]
fn nodes_that_start_at_once_make_one_organization() {
    let Some(postgres) = spindle_test_postgres::shared() else {
        return;
    };
    let database = postgres.database();
    let nodes: Vec<Server> = std::thread::scope(|scope| {
        let starts = [(); 3].map(|()| scope.spawn(|| Server::spawn(options(&database))));
        let started = starts.into_iter();
        started.map(|start| start.join().expect("a node")).collect()
    });
    let has_credentials = |node: &&Server| {
        let folder = node.directory().expect("a directory");
        folder.join("owner.zuliprc").exists()
    };
    assert_eq!(nodes.iter().filter(has_credentials).count(), 1);
    for node in &nodes {
        owner_at(node);
    }
    // The migrations create the system bots' organization.
    assert_eq!(database.psql("SELECT count(*) FROM realms"), "2");
}

#[test]
fn guesses_at_a_password_are_counted_for_all_nodes() {
    let Some(postgres) = spindle_test_postgres::shared() else {
        return;
    };
    let database = postgres.database();
    let one = Server::spawn(options(&database));
    let two = beside(&one, &database);
    let guess = [
        ("username", "owner@example.org"),
        ("password", "not this one"),
    ];
    let mut refusals = Vec::new();
    for _ in 0..10 {
        for server in [&one, &two] {
            refusals.push(server.anonymous().post("/fetch_api_key", &guess).status);
        }
    }
    let first = refusals.iter().position(|status| *status == 429);
    assert!(first.is_some_and(|place| place <= 10), "{refusals:?}");
}

#[test]
fn a_node_that_is_killed_takes_nothing_with_it() {
    const ROUNDS: usize = 6;
    let Some(postgres) = spindle_test_postgres::shared() else {
        return;
    };
    let database = postgres.database();
    let one = Server::spawn(options(&database));
    let mut two = beside(&one, &database);
    let owner = one.owner();
    let there = owner_at(&two);
    send(&owner, "the first").expect("sent");
    let mut queues: Vec<_> = (0..4)
        .map(|place| match place % 2 {
            0 => Wandering::of(&[&owner, &there]),
            _ => Wandering::of(&[&there, &owner]),
        })
        .collect();
    let [done, all_sent] = [false, false].map(AtomicBool::new);
    let sent = AtomicUsize::new(0);
    let (acknowledged, received) = std::thread::scope(|scope| {
        let senders = [&owner, &there, &owner, &there].map(|client| {
            let (done, sent) = (&done, &sent);
            scope.spawn(move || {
                let mut ids = Vec::new();
                while !done.load(Ordering::Relaxed) {
                    let id = send(client, "x");
                    sent.fetch_add(id.iter().len(), Ordering::Relaxed);
                    ids.extend(id);
                }
                ids
            })
        });
        let readers: Vec<_> = queues
            .iter_mut()
            .map(|queue| {
                let all_sent = &all_sent;
                scope.spawn(move || {
                    let mut ids = Vec::new();
                    while !all_sent.load(Ordering::Acquire) {
                        ids.extend(queue.poll());
                    }
                    // What was sent last.
                    for _ in 0..4 {
                        ids.extend(queue.poll());
                    }
                    ids
                })
            })
            .collect();
        for _ in 0..ROUNDS {
            let before = sent.load(Ordering::Relaxed);
            until("messages are acknowledged", || {
                (sent.load(Ordering::Relaxed) >= before + 40).then_some(())
            });
            two.kill();
            two.restart();
        }
        done.store(true, Ordering::Relaxed);
        let mut acknowledged: Vec<i64> = senders
            .into_iter()
            .flat_map(|sender| sender.join().expect("a sender"))
            .collect();
        acknowledged.sort_unstable();
        all_sent.store(true, Ordering::Release);
        let received: Vec<_> = readers
            .into_iter()
            .map(|reader| reader.join().expect("a reader"))
            .collect();
        (acknowledged, received)
    });
    assert!(acknowledged.len() > ROUNDS, "{acknowledged:?}");
    for mut ids in received {
        ids.sort_unstable();
        let before = ids.len();
        ids.dedup();
        assert_eq!(ids.len(), before, "a message came twice");
        let missing: Vec<_> = acknowledged
            .iter()
            .filter(|id| ids.binary_search(id).is_err())
            .collect();
        assert!(missing.is_empty(), "{missing:?}");
    }
    let is_left = |path: &Path| path.join("queues.db").exists();
    assert!(!is_left(one.directory().expect("a directory")));
}
