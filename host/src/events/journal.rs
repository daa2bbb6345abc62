//! The journal, the service's own file: positions of queues, ids of heartbeats, ended queues.
//!
//! One thread writes. Acknowledgements are written in batches, since replaying from an older
//! one gives the same ids; an id is recorded as a heartbeat before the heartbeat is sent, or a
//! restart would give it to an event. The main database is never written.

mod positions;
mod store;
mod thread;

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread::JoinHandle;

use tokio::sync::oneshot;

use positions::Pending;
pub(super) use positions::{Position, Stored};
use store::Store;
use thread::Command;

use super::task_health::TaskHealth;

/// The file and its writer.
#[derive(Debug)]
pub(super) struct Journal {
    commands: mpsc::Sender<Command>,
    pending: Arc<Mutex<Pending>>,
    writing: Arc<TaskHealth>,
    reader: Mutex<Store>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

/// The state of the file when it was opened.
#[derive(Debug)]
pub(super) struct Opened {
    pub(super) journal: Journal,
    /// Total running time of the service over all its processes, in milliseconds.
    pub(super) running_ms: i64,
    /// Queues up to this number belonged to a lost file and have ended.
    pub(super) lost_up_to: i64,
}

impl Journal {
    /// Opens or creates the file. `newest_queue` is the number of the newest queue in the main
    /// database: a new file has no positions for the queues that exist, so they end.
    pub(super) fn open(path: &Path, newest_queue: i64) -> rusqlite::Result<Opened> {
        let mut store = Store::open(path)?;
        store.initialize(newest_queue)?;
        let running_ms = store.meta("running_ms")?;
        let lost_up_to = store.meta("lost_up_to")?;
        let pending = Arc::new(Mutex::new(Pending::default()));
        let writing = Arc::new(TaskHealth::new("writing positions of queues"));
        let (commands, received) = mpsc::channel();
        let thread = std::thread::Builder::new()
            .name("queue-journal".to_owned())
            .spawn({
                let (pending, writing) = (Arc::clone(&pending), Arc::clone(&writing));
                move || thread::run(store, &received, &pending, &writing)
            })
            .map_err(|error| rusqlite::Error::ToSqlConversionFailure(Box::new(error)))?;
        Ok(Opened {
            journal: Self {
                commands,
                pending,
                writing,
                reader: Mutex::new(Store::open(path)?),
                thread: Mutex::new(Some(thread)),
            },
            running_ms,
            lost_up_to,
        })
    }

    /// Whether positions are being written; otherwise the reason.
    pub(super) fn check(&self) -> Result<(), String> {
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner);
        if thread.as_ref().is_some_and(JoinHandle::is_finished) {
            return Err("the thread that writes positions of queues has ended".to_owned());
        }
        self.writing.check()
    }

    /// Everything stored of a queue. Blocks.
    pub(super) fn load(&self, queue_id: &str) -> rusqlite::Result<Stored> {
        let reader = self.reader.lock().unwrap_or_else(PoisonError::into_inner);
        reader.load(queue_id)
    }

    /// Every stored position, by queue. Blocks.
    pub(super) fn positions(&self) -> rusqlite::Result<HashMap<String, Position>> {
        let reader = self.reader.lock().unwrap_or_else(PoisonError::into_inner);
        reader.positions()
    }

    /// Queues that have ended but may still be in the main database. Blocks.
    pub(super) fn ended(&self) -> rusqlite::Result<Vec<String>> {
        let reader = self.reader.lock().unwrap_or_else(PoisonError::into_inner);
        reader.ended()
    }

    /// Records a position, to be written with the next batch.
    pub(super) fn note(&self, queue_id: &Arc<str>, position: Position) {
        let first = {
            let mut pending = self.lock();
            let first = pending.is_empty();
            pending.positions.insert(Arc::clone(queue_id), position);
            first
        };
        if first {
            self.send(Command::Wake);
        }
    }

    /// Records the total running time of the service.
    pub(super) fn note_running(&self, milliseconds: i64) {
        self.lock().running_ms = Some(milliseconds);
        self.send(Command::Wake);
    }

    /// Records heartbeats. The receiver is notified when they are durable; an error does not mean
    /// that they are not.
    pub(super) fn heartbeats(&self, batch: Vec<(Arc<str>, i64)>) -> oneshot::Receiver<bool> {
        let (done, result) = oneshot::channel();
        self.send(Command::Heartbeats { batch, done });
        result
    }

    /// Records that queues have ended and deletes their positions.
    pub(super) fn end(&self, queue_ids: impl IntoIterator<Item = Arc<str>>) {
        {
            let mut pending = self.lock();
            for id in queue_ids {
                pending.positions.remove(&id);
                pending.ended.push(id);
            }
        }
        self.send(Command::Wake);
    }

    /// Deletes all records of queues that were deleted from the main database.
    pub(super) fn forget(&self, queue_ids: impl IntoIterator<Item = Arc<str>>) {
        {
            let mut pending = self.lock();
            for id in queue_ids {
                pending.positions.remove(&id);
                pending.forgotten.push(id);
            }
        }
        self.send(Command::Wake);
    }

    /// Writes everything recorded so far and stops the thread. Blocks.
    pub(super) fn close(&self) {
        self.send(Command::Close);
        self.join();
    }

    /// Stops the thread without writing, as a kill would.
    #[cfg(test)]
    pub(super) fn abandon(&self) {
        self.send(Command::Abandon);
        self.join();
    }

    fn join(&self) {
        let thread = {
            let mut slot = self.thread.lock().unwrap_or_else(PoisonError::into_inner);
            slot.take()
        };
        if let Some(thread) = thread
            && thread.join().is_err()
        {
            tracing::error!("the journal of queues stopped unexpectedly");
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Pending> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn send(&self, command: Command) {
        // Fails only after `close`, when nothing is left to write.
        let _ = self.commands.send(command);
    }
}
