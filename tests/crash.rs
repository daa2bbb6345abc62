//! kill -9 at random moments, while writers write and a hundred polls wait.
//!
//! What a client was told happened must have happened, what it was not told of must not be
//! delivered unless it was committed, and no queue may lose, double or skip anything.
//! `SPINDLE_CRASH_ROUNDS` is the number of rounds (20).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use spindle_tests::fixture::{self, Kind};
use spindle_tests::{Call, Options, Queue, Server, User, env_number};

const READERS: usize = 10;
const QUEUES_OF_A_READER: usize = 10;
const WRITERS: usize = 4;

/// What one poller has seen: content by message id, in the order of the queue.
#[derive(Default)]
struct Seen {
    messages: Mutex<BTreeMap<i64, String>>,
    last_event_id: AtomicU64,
}

/// Shared by all threads of the test.
struct Run {
    stop: AtomicBool,
    /// Contents whose sending was acknowledged, with the id that was told.
    acknowledged: Mutex<BTreeMap<i64, String>>,
    /// Contents that were sent at all.
    attempted: Mutex<BTreeSet<String>>,
}

#[test]
fn nothing_is_lost_or_doubled_by_kill_9() {
    let rounds = env_number("SPINDLE_CRASH_ROUNDS", 20);
    let mut server = Server::spawn(Options::default());
    let readers: Vec<User> = (0..READERS).map(|_| server.user("member")).collect();
    let writers: Vec<User> = (0..WRITERS).map(|_| server.user("member")).collect();
    let everybody: Vec<&User> = readers.iter().chain(&writers).collect();
    let channel = fixture::channel(&server, Kind::Public, &everybody).id();
    let run = Arc::new(Run {
        stop: AtomicBool::new(false),
        acknowledged: Mutex::default(),
        attempted: Mutex::default(),
    });
    let mut threads = Vec::new();
    let mut all_seen = Vec::new();
    for reader in &readers {
        for _ in 0..QUEUES_OF_A_READER {
            let queue = Queue::of(reader, &["message"]);
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
    let mut random = std::collections::hash_map::RandomState::new();
    for round in 0..rounds {
        let pause = 150 + pseudo_random(&mut random, round) % 500;
        std::thread::sleep(Duration::from_millis(pause));
        // Every third round heartbeats are on their way when the host dies.
        if round.is_multiple_of(3) {
            server.advance(56);
        }
        server.kill();
        server.restart();
    }
    run.stop.store(true, Ordering::SeqCst);
    for thread in threads.drain(READERS * QUEUES_OF_A_READER..) {
        thread.join().expect("a writer");
    }
    check(&server, &run, &all_seen);
    // Held polls end with the server, and their threads with them.
    server.kill();
    for thread in threads {
        thread.join().expect("a poller");
    }
}

fn pseudo_random(state: &mut std::collections::hash_map::RandomState, round: u64) -> u64 {
    use std::hash::BuildHasher;
    state.hash_one(round)
}

/// Sends numbered texts. A call that breaks is tried no second time: whether it was committed
/// is open, and both are right.
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
        let call = Call::new("POST", "/messages")
            .form(&pairs)
            .timeout(Duration::from_secs(20));
        match writer.try_send(&call) {
            Ok(reply) if reply.status == 200 => {
                let id = reply.body["id"].as_i64().expect("id");
                run.acknowledged.lock().expect("lock").insert(id, content);
            }
            Ok(reply) => panic!("a write was refused: {} {}", reply.status, reply.body),
            Err(_) => std::thread::sleep(Duration::from_millis(20)),
        }
        std::thread::sleep(Duration::from_millis(8));
    }
}

/// Polls for ever, over every crash, with the same queue.
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
            assert_eq!(id, last + 1, "a gap or a double after {last}");
            last = id;
            if event["type"] == "message" {
                let message = &event["message"];
                let number = message["id"].as_i64().expect("id");
                let content = message["content"].as_str().expect("content").to_owned();
                let before = seen.messages.lock().expect("lock").insert(number, content);
                assert!(before.is_none(), "message {number} came twice");
            }
        }
        seen.last_event_id
            .store((last + 1) as u64, Ordering::SeqCst);
    }
}

fn check(server: &Server, run: &Run, all_seen: &[Arc<Seen>]) {
    let stored: BTreeMap<i64, String> = {
        let database = server.database();
        let mut statement = database
            .prepare("SELECT id, content FROM messages WHERE content LIKE 'writer %'")
            .expect("query");
        let rows = statement
            .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))
            .expect("rows");
        rows.map(|row| row.expect("row")).collect()
    };
    let acknowledged = run.acknowledged.lock().expect("lock").clone();
    assert!(
        acknowledged.len() > 50,
        "the test wrote too little: {}",
        acknowledged.len()
    );
    for (id, content) in &acknowledged {
        assert_eq!(
            stored.get(id),
            Some(content),
            "an acknowledged write is lost"
        );
    }
    let attempted = run.attempted.lock().expect("lock").clone();
    let contents: BTreeSet<&String> = stored.values().collect();
    assert_eq!(contents.len(), stored.len(), "a write was committed twice");
    for content in contents {
        assert!(attempted.contains(content), "{content:?} was never sent");
    }
    // Every queue delivers everything that is committed, and nothing else.
    let deadline = Instant::now() + Duration::from_secs(30);
    for (number, seen) in all_seen.iter().enumerate() {
        loop {
            let messages = seen.messages.lock().expect("lock").clone();
            for (id, content) in &messages {
                assert_eq!(
                    stored.get(id),
                    Some(content),
                    "queue {number} got what is not committed"
                );
            }
            if messages == stored {
                break;
            }
            let missing: Vec<&i64> = stored
                .keys()
                .filter(|id| !messages.contains_key(id))
                .take(5)
                .collect();
            assert!(
                Instant::now() < deadline,
                "queue {number} never got {missing:?}"
            );
            std::thread::sleep(Duration::from_millis(20));
        }
    }
    println!(
        "{} acknowledged, {} stored, {} queues hold all of them",
        acknowledged.len(),
        stored.len(),
        all_seen.len()
    );
}
