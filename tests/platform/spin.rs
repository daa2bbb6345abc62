//! A run under a real Spin, when `SPIN_BIN` names one; without it the tests do nothing.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::Value;
use spindle_tests::server::DATABASE_URL;
use spindle_tests::spin::program;
use spindle_tests::{Call, Client, FilePart, Options, Queue, Server};

/// Whether there is a Spin; otherwise says that the test was not run.
fn is_there() -> bool {
    if program().is_none() {
        println!("not run: SPIN_BIN names no Spin");
    }
    program().is_some()
}

/// `spin up` with `spindle events`: settings are served, an account signs in, a message arrives. With the same variable
/// the tests `conformance`, `limits` and `crash` cover the rest.
#[test]
fn spin_up_serves_the_same_components() {
    if !is_there() {
        return;
    }
    let server = Server::own(Options::default());
    let user = server.user("member");
    user.get("/server_settings", &[]).ok();
    let mut queue = Queue::of(&user, &["message"]);
    send(&user, user.user_id, "on Spin");
    queue.expect(|event| event["message"]["content"] == "on Spin");
}

/// While the event-queue service is down, requests that need it are answered with 503 and the log has the reason; all
/// others work.
#[test]
fn a_client_reads_that_the_event_service_is_down() {
    if !is_there() {
        return;
    }
    let mut server = Server::own(Options::default());
    let user = server.user("member");
    let queue = user.post("/register", &[]).ok();
    let file = user.upload("/user_uploads", "a.txt", b"tea leaves").ok();
    server.kill_events();
    let id = queue["queue_id"].as_str().expect("a queue");
    let last = queue["last_event_id"].to_string();
    let poll = Call::new("GET", "/events").query(&[("queue_id", id), ("last_event_id", &last)]);
    let upload = Call::new("POST", "/user_uploads").upload(
        &[],
        &[FilePart {
            field: "file",
            file_name: "b.txt",
            content_type: None,
            content: b"more",
        }],
    );
    let download = Call::new("GET", file["url"].as_str().expect("an address")).at_root();
    for call in [poll, upload, download] {
        let reply = user.try_send(&call).expect("an answer");
        assert!(reply.header("retry-after").is_some(), "{reply:?}");
        let body = reply.error(503, "INTERNAL_SERVER_ERROR");
        let text = body["msg"].as_str().expect("a text");
        assert!(
            text.starts_with("The event service is unreachable"),
            "{text}"
        );
    }
    send(&user, user.user_id, "goes on");
    assert!(server.log().contains("the event service is unreachable"));
}

fn send(client: &Client, to: i64, content: &str) -> i64 {
    let to = format!("[{to}]");
    let message = [("type", "direct"), ("to", &*to), ("content", content)];
    let sent = client.post("/messages", &message).ok();
    sent["id"].as_i64().expect("an id")
}

/// One event queue, polled at one server after the other.
struct Wandering<'c> {
    clients: [&'c Client; 2],
    id: String,
    last: i64,
    polls: usize,
}

impl<'c> Wandering<'c> {
    fn of(clients: [&'c Client; 2]) -> Self {
        let types = [("event_types", r#"["message"]"#)];
        let queue = clients[0].post("/register", &types).ok();
        Self {
            clients,
            id: queue["queue_id"].as_str().expect("a queue").to_owned(),
            last: queue["last_event_id"].as_i64().expect("an id"),
            polls: 0,
        }
    }

    /// Waits for the next message. Ids of events have no gaps, whichever node answers.
    fn next(&mut self) -> Vec<Value> {
        loop {
            self.polls += 1;
            let last = self.last.to_string();
            let query = [("queue_id", &*self.id), ("last_event_id", &*last)];
            let events = self.clients[self.polls % 2].get("/events", &query).ok();
            let events = events["events"].as_array().expect("events").clone();
            for event in &events {
                self.last += 1;
                assert_eq!(event["id"], self.last, "{events:?}");
            }
            let messages = events
                .into_iter()
                .filter(|event| event["type"] == "message");
            let messages: Vec<Value> = messages.collect();
            if !messages.is_empty() {
                return messages;
            }
        }
    }
}

/// Two Spins, each with an event-queue service of its own, on one PostgreSQL database: changes, events, files and jobs
/// belong to one organization, and one of the Spins may end.
#[test]
fn two_spins_serve_one_organization() {
    if !is_there() {
        return;
    }
    let Some(postgres) = spindle_test_postgres::shared() else {
        return;
    };
    let database = postgres.database();
    let options = Options {
        environment: vec![(DATABASE_URL.to_owned(), database.url())],
        ..Options::default()
    };
    let mut one = Server::own(options.clone());
    let two = Server::own(Options {
        shares_files_of: one.folder_beside_spin().map(Into::into),
        ..options
    });
    let user = one.user("member");
    let there = Client::new(two.base_url(), Some((&*user.email, &*user.api_key)));
    let mut queues = [
        Wandering::of([&user, &there]),
        Wandering::of([&there, &user]),
    ];

    // Messages sent at both concurrently: each queue has each of them once.
    let sent: Vec<i64> = std::thread::scope(|scope| {
        let senders = [&*user, &there, &*user, &there].map(|client| {
            let to = user.user_id;
            scope.spawn(move || (0..5).map(|_| send(client, to, "x")).collect::<Vec<_>>())
        });
        let sent = senders.into_iter();
        sent.flat_map(|sender| sender.join().expect("a sender"))
            .collect()
    });
    for queue in &mut queues {
        let mut received = Vec::new();
        while received.len() < sent.len() {
            let messages = queue.next();
            let ids = messages.iter().map(|event| event["message"]["id"].as_i64());
            received.extend(ids.flatten());
        }
        received.sort_unstable();
        let mut sent = sent.clone();
        sent.sort_unstable();
        assert_eq!(received, sent);
    }

    // A file of one, and its address signed by the other.
    let file = user.upload("/user_uploads", "a.txt", b"tea leaves").ok();
    let url = file["url"].as_str().expect("an address");
    let signed = there.get(url, &[]).ok();
    let signed = signed["url"].as_str().expect("a signed address");
    assert_eq!(one.anonymous().fetch(signed, &[]).bytes, b"tea leaves");

    // Both services look for due messages; each is sent once.
    let due = SystemTime::now() + Duration::from_secs(3);
    let due = due.duration_since(UNIX_EPOCH).expect("a time").as_secs();
    let scheduled = [
        ("type", "direct"),
        ("to", &*format!("[{}]", user.user_id)),
        ("content", "later"),
        ("scheduled_delivery_timestamp", &*due.to_string()),
    ];
    user.post("/scheduled_messages", &scheduled).ok();
    let later = queues[0].next();
    assert_eq!(later[0]["message"]["content"], "later");

    // One of them ends, and comes back.
    one.kill();
    let alone = send(&there, user.user_id, "alone");
    queues[0].clients = [&there, &there];
    let next = queues[0].next();
    assert_eq!(next[0]["message"]["id"], alone, "nothing was sent twice");
    one.restart();
    queues[0].clients = [&user, &user];
    let again = send(&user, user.user_id, "again");
    assert_eq!(queues[0].next()[0]["message"]["id"], again);
}
