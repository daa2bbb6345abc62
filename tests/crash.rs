//! kill -9 at random moments, while writers write and a hundred polls wait.
//!
//! An acknowledged change must have been committed, an event must not be delivered unless its
//! change was committed, and no queue may lose, duplicate or skip an event. `SPINDLE_CRASH_ROUNDS`
//! is the number of rounds (20).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::Value;
use spindle_tests::fixture::{self, ChannelKind};
use spindle_tests::{Call, Options, Queue, Reply, Server, User, env_number};

const READERS: usize = 10;
const QUEUES_OF_A_READER: usize = 10;
const WRITERS: usize = 4;

/// A message of a writer, identified by its number.
#[derive(Clone, Debug, PartialEq, Eq)]
struct State {
    content: String,
    topic: String,
    starred: bool,
}

/// A message whose sending was acknowledged.
struct Own {
    user_id: i64,
    /// The states that it may have; `None`: deleted. More than one after a call without an answer.
    states: Vec<Option<State>>,
}

/// The state that one poller has derived from its events: content and topic by message id.
#[derive(Default)]
struct Seen {
    messages: Mutex<BTreeMap<i64, (String, String)>>,
    last_event_id: AtomicU64,
}

/// Shared by all threads of the test.
struct Run {
    stop: AtomicBool,
    /// Messages whose sending was acknowledged, by the id in the answer.
    acknowledged: Mutex<BTreeMap<i64, Own>>,
    /// Contents of all messages that were sent.
    attempted: Mutex<BTreeSet<String>>,
}

#[test]
fn kill_9_loses_and_duplicates_nothing() {
    let rounds = env_number("SPINDLE_CRASH_ROUNDS", 20);
    let mut server = Server::own(Options::default());
    let readers: Vec<User> = (0..READERS).map(|_| server.user("member")).collect();
    let writers: Vec<User> = (0..WRITERS).map(|_| server.user("member")).collect();
    let everybody: Vec<&User> = readers.iter().chain(&writers).collect();
    let channel = fixture::channel(&server, ChannelKind::Public, &everybody).id();
    let run = Arc::new(Run {
        stop: AtomicBool::new(false),
        acknowledged: Mutex::default(),
        attempted: Mutex::default(),
    });
    let mut threads = Vec::new();
    let mut all_seen = Vec::new();
    for reader in &readers {
        for _ in 0..QUEUES_OF_A_READER {
            let queue = Queue::of(reader, &["message", "update_message", "delete_message"]);
            let seen = Arc::new(Seen::default());
            all_seen.push(Arc::clone(&seen));
            let (reader, run) = (reader.clone(), Arc::clone(&run));
            threads.push(std::thread::spawn(move || {
                poll(&reader, &queue, &run, &seen)
            }));
        }
    }
    for (number, writer) in writers.iter().enumerate() {
        let (writer, run, channel) = (writer.clone(), Arc::clone(&run), channel.clone());
        threads.push(std::thread::spawn(move || {
            write(&writer, number, &channel, &run)
        }));
    }
    // A Spin that has just started creates instances and answers all polls before writers make
    // progress.
    let warm_up = Duration::from_secs(if server.has_test_clock() { 0 } else { 3 });
    let mut random = std::collections::hash_map::RandomState::new();
    for round in 0..rounds {
        let pause = 150 + pseudo_random(&mut random, round) % 500;
        std::thread::sleep(Duration::from_millis(pause) + warm_up);
        // In every third round heartbeats are being sent when the host dies.
        if round.is_multiple_of(3) && server.has_test_clock() {
            server.advance(56);
        }
        server.kill();
        server.restart();
    }
    std::thread::sleep(warm_up);
    run.stop.store(true, Ordering::SeqCst);
    for thread in threads.drain(READERS * QUEUES_OF_A_READER..) {
        thread.join().expect("a writer");
    }
    check(&server, &run, &all_seen);
    // Waiting polls end with the server, and their threads with them.
    server.kill();
    for thread in threads {
        thread.join().expect("a poller");
    }
}

fn pseudo_random(state: &mut std::collections::hash_map::RandomState, round: u64) -> u64 {
    use std::hash::BuildHasher;
    state.hash_one(round)
}

/// Sends numbered texts, and edits, moves, stars and deletes some of them. A call without an answer
/// is not repeated: it may have been committed or not, and both states are right.
fn write(writer: &User, number: usize, channel: &str, run: &Run) {
    let mut count = 0_u64;
    while !run.stop.load(Ordering::SeqCst) {
        count += 1;
        let content = format!("writer {number} message {count}");
        run.attempted.lock().expect("lock").insert(content.clone());
        let pairs = [
            ("type", "channel"),
            ("to", channel),
            ("topic", "crash"),
            ("content", &content),
        ];
        match call(writer, "POST", "/messages", &pairs) {
            Some(reply) if reply.status == 200 => {
                let id = reply.body["id"].as_i64().expect("id");
                let state = State {
                    content,
                    topic: "crash".to_owned(),
                    starred: false,
                };
                let own = Own {
                    user_id: writer.user_id,
                    states: vec![Some(state)],
                };
                run.acknowledged.lock().expect("lock").insert(id, own);
                change(writer, id, count, run);
            }
            Some(reply) => panic!("a write was refused: {} {}", reply.status, reply.body),
            None => std::thread::sleep(Duration::from_millis(20)),
        }
        std::thread::sleep(Duration::from_millis(8));
    }
}

fn call(user: &User, method: &str, path: &str, pairs: &[(&str, &str)]) -> Option<Reply> {
    let call = Call::new(method, path)
        .form(pairs)
        .timeout(Duration::from_secs(20));
    user.try_send(&call).ok()
}

/// Changes a message of the writer in a way that its number determines, and records the states that
/// it may have afterwards.
fn change(writer: &User, id: i64, count: u64, run: &Run) {
    let path = format!("/messages/{id}");
    let edited = format!("writer {} edit {count}", writer.user_id);
    let silent = ("send_notification_to_new_thread", "false");
    let ids = format!("[{id}]");
    let star = [
        ("messages", ids.as_str()),
        ("op", "add"),
        ("flag", "starred"),
    ];
    let (reply, after): (_, fn(State, &str) -> Option<State>) = match count % 6 {
        0 => (
            call(writer, "PATCH", &path, &[("content", edited.as_str())]),
            |state, edited| {
                Some(State {
                    content: edited.to_owned(),
                    ..state
                })
            },
        ),
        1 => (
            call(writer, "PATCH", &path, &[("topic", "moved"), silent]),
            |state, _| {
                Some(State {
                    topic: "moved".to_owned(),
                    ..state
                })
            },
        ),
        2 => (call(writer, "DELETE", &path, &[]), |_, _| None),
        3 => (
            call(writer, "POST", "/messages/flags", &star),
            |state, _| {
                Some(State {
                    starred: true,
                    ..state
                })
            },
        ),
        _ => return,
    };
    let mut acknowledged = run.acknowledged.lock().expect("lock");
    let own = acknowledged.get_mut(&id).expect("it was sent");
    let changed: Vec<_> = own
        .states
        .iter()
        .map(|state| state.clone().and_then(|state| after(state, &edited)))
        .collect();
    match reply {
        Some(reply) if reply.status == 200 => own.states = changed,
        Some(reply) => panic!("a change was refused: {} {}", reply.status, reply.body),
        None => own.states.extend(changed),
    }
}

/// Polls for ever with the same queue, over every crash.
fn poll(reader: &User, queue: &Queue, run: &Run, seen: &Seen) {
    let mut last = -1_i64;
    loop {
        let position = last.to_string();
        let call = Call::new("GET", "/events")
            .query(&[
                ("queue_id", queue.queue_id.as_str()),
                ("last_event_id", &position),
            ])
            .timeout(Duration::from_secs(20));
        let reply = match reader.try_send(&call) {
            Ok(reply) => reply,
            Err(_) if run.stop.load(Ordering::SeqCst) => return,
            Err(_) => {
                std::thread::sleep(Duration::from_millis(20));
                continue;
            }
        };
        assert_eq!(reply.status, 200, "a queue did not survive: {}", reply.body);
        for event in reply.body["events"].as_array().expect("events") {
            let id = event["id"].as_i64().expect("id");
            assert_eq!(id, last + 1, "a gap or a duplicate after {last}");
            last = id;
            apply(event, &mut seen.messages.lock().expect("lock"));
        }
        seen.last_event_id
            .store((last + 1) as u64, Ordering::SeqCst);
    }
}

fn apply(event: &Value, messages: &mut BTreeMap<i64, (String, String)>) {
    let text = |value: &Value| value.as_str().expect("text").to_owned();
    match event["type"].as_str().expect("type") {
        "message" => {
            let message = &event["message"];
            let number = message["id"].as_i64().expect("id");
            let state = (text(&message["content"]), text(&message["subject"]));
            let before = messages.insert(number, state);
            assert!(before.is_none(), "message {number} came twice");
        }
        "update_message" => {
            let number = event["message_id"].as_i64().expect("id");
            let state = messages.get_mut(&number).expect("it was sent before");
            if let Some(content) = event["content"].as_str() {
                state.0 = content.to_owned();
            }
            if let Some(topic) = event["subject"].as_str() {
                state.1 = topic.to_owned();
            }
        }
        "delete_message" => {
            let number = event["message_id"].as_i64().expect("id");
            let gone = messages.remove(&number);
            assert!(gone.is_some(), "message {number} was deleted before");
        }
        _ => {}
    }
}

/// Content, topic, and whether the sender has starred it, of all messages of the writers.
fn stored(server: &Server) -> BTreeMap<i64, State> {
    let database = server.database().sqlite();
    let mut statement = database
        .prepare(
            "SELECT m.id, m.content, m.topic, EXISTS (SELECT 1 FROM user_messages um
                 WHERE um.message_id = m.id AND um.user_id = m.sender_id AND um.flags & 2)
             FROM messages m WHERE m.content LIKE 'writer %'",
        )
        .expect("query");
    let rows = statement
        .query_map([], |row| {
            let state = State {
                content: row.get(1)?,
                topic: row.get(2)?,
                starred: row.get(3)?,
            };
            Ok((row.get(0)?, state))
        })
        .expect("rows");
    rows.map(|row| row.expect("row")).collect()
}

fn check(server: &Server, run: &Run, all_seen: &[Arc<Seen>]) {
    let stored = stored(server);
    let acknowledged = run.acknowledged.lock().expect("lock");
    assert!(
        acknowledged.len() > 50,
        "the test wrote too little: {}",
        acknowledged.len()
    );
    for (id, own) in acknowledged.iter() {
        let found = stored.get(id).cloned();
        assert!(
            own.states.contains(&found),
            "message {id} of {}: {found:?}, not one of {:?}",
            own.user_id,
            own.states
        );
    }
    let attempted = run.attempted.lock().expect("lock").clone();
    let contents: BTreeSet<&String> = stored.values().map(|state| &state.content).collect();
    assert_eq!(contents.len(), stored.len(), "a write was committed twice");
    for (id, state) in &stored {
        assert!(
            acknowledged.contains_key(id) || attempted.contains(&state.content),
            "{state:?} was never sent"
        );
    }
    let expected: BTreeMap<i64, (String, String)> = stored
        .into_iter()
        .map(|(id, state)| (id, (state.content, state.topic)))
        .collect();
    // Every queue converges to the committed state, and to no other.
    let deadline = Instant::now() + Duration::from_secs(30);
    for (number, seen) in all_seen.iter().enumerate() {
        loop {
            let messages = seen.messages.lock().expect("lock").clone();
            if messages == expected {
                break;
            }
            let differing: Vec<&i64> = expected
                .keys()
                .chain(messages.keys())
                .filter(|id| messages.get(id) != expected.get(id))
                .take(5)
                .collect();
            assert!(
                Instant::now() < deadline,
                "queue {number} never agreed about {differing:?}"
            );
            std::thread::sleep(Duration::from_millis(20));
        }
    }
    println!(
        "{} acknowledged, {} stored, {} queues agree with all of them",
        acknowledged.len(),
        expected.len(),
        all_seen.len()
    );
}
