//! Writers and polls for tests that kill servers: what was acknowledged and delivered is compared with the database.
//!
//! An acknowledged change must be there, a refused one must not, and one without an answer may be either. No queue may
//! lose, duplicate or skip an event, and all agree with the database in the end. Must not know what is killed.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::waiting::PATIENCE;
use crate::{Call, Database, Queue, Reply, User, until};

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

/// The messages that one poller knows from its events: content and topic by id.
type Seen = Arc<Mutex<BTreeMap<i64, (String, String)>>>;

/// Which errors a server may answer with while nodes and databases come and go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Errors {
    /// None.
    #[default]
    Never,
    /// 503, where it has changed nothing.
    Busy,
    /// Another one of the 5xx as well, where it does not know whether a change was made.
    Unknown,
}

/// Messages without which a test has shown nothing.
const ENOUGH: usize = 50;

/// Shared by all threads.
#[derive(Default)]
struct Run {
    stop: AtomicBool,
    errors: Errors,
    /// Messages whose sending was acknowledged, by the id in the answer.
    acknowledged: Mutex<BTreeMap<i64, Own>>,
    /// Contents of all messages that were sent.
    attempted: Mutex<BTreeSet<String>>,
    /// Contents of messages that were refused: nothing was changed.
    refused: Mutex<BTreeSet<String>>,
    /// Acknowledged changes.
    changes: AtomicU64,
}

/// Writers that write and pollers that poll, until [`Load::stop`].
pub struct Load {
    run: Arc<Run>,
    writers: Vec<JoinHandle<()>>,
    pollers: Vec<JoinHandle<()>>,
    seen: Vec<Seen>,
}

/// How a call has ended.
enum End {
    Done(Reply),
    /// Nothing was changed.
    Refused,
    /// It was committed or not, and both are right.
    Unknown,
}

impl Load {
    /// Lets `writers` write to the channel with this id while each of `readers` polls `queues` queues.
    #[must_use]
    pub fn start(
        writers: &[User],
        readers: &[User],
        queues: usize,
        channel: &str,
        errors: Errors,
    ) -> Self {
        let run = Arc::new(Run {
            errors,
            ..Run::default()
        });
        let (mut pollers, mut seen) = (Vec::new(), Vec::new());
        for reader in readers {
            for _ in 0..queues {
                let queue = Queue::of(reader, &["message", "update_message", "delete_message"]);
                let messages = Seen::default();
                seen.push(Arc::clone(&messages));
                let (reader, run) = (reader.clone(), Arc::clone(&run));
                pollers.push(std::thread::spawn(move || {
                    poll(&reader, &queue, &run, &messages);
                }));
            }
        }
        let writers = writers.iter().enumerate().map(|(number, writer)| {
            let (writer, run, channel) = (writer.clone(), Arc::clone(&run), channel.to_owned());
            std::thread::spawn(move || write(&writer, number, &channel, &run))
        });
        Self {
            writers: writers.collect(),
            run,
            pollers,
            seen,
        }
    }

    /// How many changes were acknowledged.
    #[must_use]
    pub fn changes(&self) -> u64 {
        self.run.changes.load(Ordering::SeqCst)
    }

    /// Waits until enough was written for [`Load::check`], on a machine that is slow.
    ///
    /// # Panics
    /// When nothing is written any more.
    pub fn wait_for_writes(&self) {
        until("the writers have written enough", || {
            (self.run.acknowledged.lock().expect("lock").len() > ENOUGH).then_some(())
        });
    }

    /// Stops writing.
    ///
    /// # Panics
    /// When a writer has failed.
    pub fn stop(&mut self) {
        self.run.stop.store(true, Ordering::SeqCst);
        for writer in self.writers.drain(..) {
            writer.join().expect("a writer");
        }
    }

    /// Waits for the pollers; the server must be gone.
    ///
    /// # Panics
    /// When one has failed.
    pub fn join(self) {
        for poller in self.pollers {
            poller.join().expect("a poller");
        }
    }

    /// Compares what the writers and pollers know with the database, after [`Load::stop`].
    ///
    /// # Panics
    /// When something was lost, doubled or never sent, or a queue does not agree in the end.
    pub fn check(&self, database: &Database) {
        let stored = stored(database);
        let acknowledged = self.run.acknowledged.lock().expect("lock");
        assert!(
            acknowledged.len() > ENOUGH,
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
        let attempted = self.run.attempted.lock().expect("lock");
        let refused = self.run.refused.lock().expect("lock");
        let contents: BTreeSet<&String> = stored.values().map(|state| &state.content).collect();
        assert_eq!(contents.len(), stored.len(), "a write was committed twice");
        for (id, state) in &stored {
            assert!(
                acknowledged.contains_key(id) || attempted.contains(&state.content),
                "{state:?} was never sent"
            );
            assert!(
                !refused.contains(&state.content),
                "{state:?} was refused, and is there"
            );
        }
        let expected: BTreeMap<i64, (String, String)> = stored
            .into_iter()
            .map(|(id, state)| (id, (state.content, state.topic)))
            .collect();
        self.wait_for_agreement(&expected);
        println!(
            "{} acknowledged, {} refused, {} stored, {} queues agree with all of them",
            acknowledged.len(),
            refused.len(),
            expected.len(),
            self.seen.len()
        );
    }

    /// Every queue converges to the committed state, and to no other.
    fn wait_for_agreement(&self, expected: &BTreeMap<i64, (String, String)>) {
        let deadline = Instant::now() + PATIENCE;
        for (number, seen) in self.seen.iter().enumerate() {
            loop {
                let messages = seen.lock().expect("lock").clone();
                if messages == *expected {
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
    }
}

/// Sends numbered texts, and edits, moves, stars and deletes some of them. A call without an answer
/// is not repeated.
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
        match call(writer, "POST", "/messages", &pairs, run) {
            End::Done(reply) => {
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
                let before = run.acknowledged.lock().expect("lock").insert(id, own);
                assert!(before.is_none(), "two messages have the id {id}");
                change(writer, id, count, run);
            }
            End::Refused => {
                run.refused.lock().expect("lock").insert(content);
                std::thread::sleep(Duration::from_millis(50));
            }
            End::Unknown => std::thread::sleep(Duration::from_millis(20)),
        }
        std::thread::sleep(Duration::from_millis(8));
    }
}

fn call(user: &User, method: &str, path: &str, pairs: &[(&str, &str)], run: &Run) -> End {
    let call = Call::new(method, path)
        .form(pairs)
        .timeout(Duration::from_secs(40));
    match user.try_send(&call) {
        Err(_) => End::Unknown,
        Ok(reply) if reply.status == 200 => {
            run.changes.fetch_add(1, Ordering::SeqCst);
            End::Done(reply)
        }
        Ok(reply) if is_error(&reply, run.errors) => match reply.status {
            503 => End::Refused,
            _ => End::Unknown,
        },
        Ok(reply) => panic!("{}: {} {}", reply.call, reply.status, reply.body),
    }
}

/// Whether it is an error that the server may answer with.
fn is_error(reply: &Reply, errors: Errors) -> bool {
    match errors {
        Errors::Never => false,
        Errors::Busy => reply.status == 503,
        Errors::Unknown => reply.status >= 500,
    }
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
    let (end, after): (_, fn(State, &str) -> Option<State>) = match count % 6 {
        0 => (
            call(writer, "PATCH", &path, &[("content", &edited)], run),
            |state, edited| {
                Some(State {
                    content: edited.to_owned(),
                    ..state
                })
            },
        ),
        1 => (
            call(writer, "PATCH", &path, &[("topic", "moved"), silent], run),
            |state, _| {
                Some(State {
                    topic: "moved".to_owned(),
                    ..state
                })
            },
        ),
        2 => (call(writer, "DELETE", &path, &[], run), |_, _| None),
        3 => (
            call(writer, "POST", "/messages/flags", &star, run),
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
    match end {
        End::Done(_) => own.states = changed,
        End::Unknown => own.states.extend(changed),
        End::Refused => {}
    }
}

/// Polls with the same queue, over everything that happens to the server, until it is gone for good.
fn poll(reader: &User, queue: &Queue, run: &Run, seen: &Mutex<BTreeMap<i64, (String, String)>>) {
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
            Ok(reply) if is_error(&reply, run.errors) => {
                std::thread::sleep(Duration::from_millis(50));
                continue;
            }
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
            apply(event, &mut seen.lock().expect("lock"));
        }
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
fn stored(database: &Database) -> BTreeMap<i64, State> {
    let messages = "SELECT m.id, m.content, m.topic, EXISTS (SELECT 1 FROM user_messages um
            WHERE um.message_id = m.id AND um.user_id = m.sender_id AND (um.flags & 2) <> 0)
        FROM messages m WHERE m.content LIKE 'writer %'";
    let rows = database.rows(messages, [], |row| {
        let state = State {
            content: row.get(1)?,
            topic: row.get(2)?,
            starred: row.get(3)?,
        };
        Ok((row.get(0)?, state))
    });
    rows.expect("rows").into_iter().collect()
}
