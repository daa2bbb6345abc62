//! Helpers of the drills: writers that record acknowledgements, and checks of a server's stored
//! data.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde_json::Value;
use spindle_tests::server::{binary, repository};
use spindle_tests::{Call, Client, PATIENCE, Queue, Reply, Server, User};

/// The outcome of the messages that were sent.
#[derive(Debug, Default)]
pub struct Written {
    /// Contents by the acknowledged id.
    pub acknowledged: BTreeMap<i64, String>,
    /// Contents of all messages that were sent.
    pub attempted: BTreeSet<String>,
    /// Status and code of every refusal.
    pub refused: Vec<(u16, String)>,
    /// The duration of the slowest request.
    pub slowest: Duration,
}

/// Threads that send one message after the other.
pub struct Writers {
    stop: Arc<AtomicBool>,
    written: Arc<Mutex<Written>>,
    threads: Vec<JoinHandle<()>>,
}

impl Writers {
    /// One for each user, into a channel to which all are subscribed.
    pub fn start(users: &[User], channel: &str) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let written = Arc::<Mutex<Written>>::default();
        let thread = |user: &User| {
            let (stop, written) = (Arc::clone(&stop), Arc::clone(&written));
            let (user, channel) = (user.clone(), channel.to_owned());
            std::thread::spawn(move || write(&user, &channel, &stop, &written))
        };
        let threads = users.iter().map(thread).collect();
        Self {
            stop,
            written,
            threads,
        }
    }

    /// The outcome so far.
    pub fn written(&self) -> MutexGuard<'_, Written> {
        self.written.lock().expect("lock")
    }

    /// Lets them send their last message.
    pub fn stop(self) -> Written {
        self.stop.store(true, Ordering::SeqCst);
        for thread in self.threads {
            thread.join().expect("a writer");
        }
        std::mem::take(&mut self.written.lock().expect("lock"))
    }
}

fn write(user: &User, channel: &str, stop: &AtomicBool, written: &Mutex<Written>) {
    let mut count = 0;
    while !stop.load(Ordering::SeqCst) {
        count += 1;
        let content = format!("message {count} of {}", user.user_id);
        let mut note = written.lock().expect("lock");
        note.attempted.insert(content.clone());
        drop(note);
        let started = Instant::now();
        let reply = send(user, channel, &content);
        let mut note = written.lock().expect("lock");
        note.slowest = note.slowest.max(started.elapsed());
        match reply {
            Some(reply) if reply.status == 200 => {
                let id = reply.body["id"].as_i64().expect("id");
                note.acknowledged.insert(id, content);
                continue;
            }
            Some(reply) => note.refused.push((reply.status, code(&reply))),
            None => {}
        }
        drop(note);
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// The machine-readable part of an error.
pub fn code(reply: &Reply) -> String {
    reply.body["code"].as_str().unwrap_or_default().to_owned()
}

/// Sends a message to a channel; `None` when the connection breaks.
pub fn send(user: &User, channel: &str, content: &str) -> Option<Reply> {
    let pairs = [
        ("type", "channel"),
        ("to", channel),
        ("topic", "drill"),
        ("content", content),
    ];
    let call = Call::new("POST", "/messages")
        .form(&pairs)
        .timeout(PATIENCE);
    user.try_send(&call).ok()
}

/// Sends a direct message and returns its id.
#[track_caller]
pub fn send_direct(user: &User, other: &User, content: &str) -> i64 {
    let to = format!("[{}]", other.user_id);
    let pairs = [("type", "direct"), ("to", &to), ("content", content)];
    user.post("/messages", &pairs).ok()["id"]
        .as_i64()
        .expect("id")
}

/// Contents of all messages of a database, by id.
pub fn contents(database: &rusqlite::Connection) -> BTreeMap<i64, String> {
    let mut statement = database
        .prepare("SELECT id, content FROM messages")
        .expect("query");
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)));
    rows.expect("rows").map(|row| row.expect("row")).collect()
}

/// A number from a database.
pub fn number(database: &rusqlite::Connection, sql: &str) -> i64 {
    let number = database.query_row(sql, [], |row| row.get(0));
    number.unwrap_or_else(|error| panic!("{sql}: {error}"))
}

/// `spindle admin check` finds nothing.
#[track_caller]
pub fn assert_sound(server: &Server) {
    let report = server.admin(&["check"]);
    assert_eq!(report["sound"], true, "{report}");
}

/// The same account on another server that has its database.
pub fn there(user: &User, server: &Server) -> User {
    User {
        client: Client::new(server.base_url(), Some((&user.email, &user.api_key))),
        ..user.clone()
    }
}

/// A waiting poll, on its own thread.
pub fn poll_in_background(user: &User, queue: &Queue) -> JoinHandle<Reply> {
    let (client, id) = (user.client.clone(), queue.queue_id.clone());
    let last = queue.last_event_id.to_string();
    std::thread::spawn(move || {
        client.get("/events", &[("queue_id", &id), ("last_event_id", &last)])
    })
}

/// Waits until a condition holds.
#[track_caller]
pub fn until(what: &str, met: impl FnMut() -> bool) {
    until_within(PATIENCE, what, met);
}

/// As [`until`], for conditions that take longer.
#[track_caller]
pub fn until_within(patience: Duration, what: &str, mut met: impl FnMut() -> bool) {
    let pause = Duration::from_millis(20);
    spindle_tests::until_within(patience, pause, what, || met().then_some(()));
}

/// Waits until a poll waits in a server that has no others, or is answered.
#[track_caller]
pub fn until_it_waits(server: &Server, poll: &JoinHandle<Reply>) {
    server.until_waiting_polls("the poll waits, or is answered", |waiting| {
        waiting > 0 || poll.is_finished()
    });
}

/// Sends a signal to the server's process.
pub fn signal(server: &Server, name: &str) {
    let id = server.process_id().expect("own server").to_string();
    let status = Command::new("kill").args([name, &id]).status();
    assert!(status.expect("kill").success());
}

/// Runs the program on a data directory until it ends, which must be soon.
pub fn run(words: &[&str], directory: &Path) -> Output {
    let child = Command::new("timeout")
        .arg("30")
        .arg(binary())
        .args(words)
        .arg("--data-dir")
        .arg(directory)
        .current_dir(repository())
        .stdin(Stdio::null())
        .output();
    let output = child.expect("spindle runs");
    assert_ne!(output.status.code(), Some(124), "{words:?} did not end");
    output
}

/// Tries to start a server that must refuse; returns its output.
#[track_caller]
pub fn refusal_to_serve(directory: &Path) -> String {
    let words = ["serve", "--listen", "127.0.0.1:0", "--ops-listen", "none"];
    let output = run(&words, directory);
    assert!(!output.status.success(), "the server has started");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Contents of the messages among events.
pub fn received(events: &[Value]) -> Vec<String> {
    let messages = events.iter().filter(|event| event["type"] == "message");
    messages
        .map(|event| {
            let content = event["message"]["content"].as_str();
            content.expect("content").to_owned()
        })
        .collect()
}
