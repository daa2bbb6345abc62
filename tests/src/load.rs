//! Writers and polls for tests that kill servers: what was acknowledged and delivered is compared with the database.
//!
//! An acknowledged change must be there, a refused one must not, and one without an answer may be either. No queue may
//! lose, duplicate or skip an event, and all agree with the database in the end. The caller decides what is killed.

mod poll;
mod write;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::{Database, PATIENCE, Queue, Reply, User, until};
use poll::{Messages, poll};
use write::write;

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
    /// The states that it may have; `None` means deleted. There are several after a call without an answer.
    states: Vec<Option<State>>,
}

/// What one poller has seen.
type Seen = Arc<Mutex<Messages>>;

/// Which errors a server may answer with while nodes and databases come and go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Errors {
    #[default]
    Never,
    /// 503, where it has changed nothing.
    Busy,
    /// Another one of the 5xx as well, where it does not know whether a change was made.
    Unknown,
}

impl Errors {
    /// Whether the answer is one of them.
    fn allow(self, reply: &Reply) -> bool {
        match self {
            Self::Never => false,
            Self::Busy => reply.status == 503,
            Self::Unknown => reply.status >= 500,
        }
    }
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
        let expected: Messages = stored
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
    fn wait_for_agreement(&self, expected: &Messages) {
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
