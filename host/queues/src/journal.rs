//! The journal: positions of queues, heartbeats, ended queues.
//!
//! With a database in a file it is a file of its own, and the database is never written. In a database that several
//! nodes share it is a few tables. One thread writes. Acknowledgements are written in batches, since replaying from an
//! older one gives the same ids; a heartbeat is recorded before it is sent, or another process would give its id to an
//! event.

mod positions;
mod shared;
mod store;
mod thread;

use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread::JoinHandle;
use std::time::Duration;

use spindle_store::DbError;
use tokio::sync::oneshot;

use positions::Pending;
pub(super) use positions::{Heartbeat, Position, Stored};
use shared::SharedStore;
use store::FileStore;
use thread::Command;

use super::task_health::TaskHealth;
use spindle_database::Location;
use spindle_system::clock::Clock;

/// Where the records are.
#[derive(Debug)]
enum Store {
    File(FileStore),
    Shared(SharedStore),
}

impl Store {
    /// Writes a batch; returns the running time of all nodes, if there are others and the batch holds this node's.
    fn write(&mut self, batch: &Pending, heartbeats: &[Heartbeat]) -> Result<Option<i64>, DbError> {
        match self {
            Self::File(file) => {
                file.write(batch, heartbeats)?;
                Ok(None)
            }
            Self::Shared(shared) => shared.write(batch, heartbeats),
        }
    }
}

/// By how much the running time of all nodes is ahead of what this node has counted, in milliseconds.
#[derive(Debug, Default)]
struct SharedTime(AtomicI64);

impl SharedTime {
    fn adopt(&self, own: Option<i64>, of_all: Option<i64>) {
        if let (Some(own), Some(of_all)) = (own, of_all) {
            self.0.fetch_add((of_all - own).max(0), Ordering::AcqRel);
        }
    }
}

/// The records and their writer.
#[derive(Debug)]
pub(super) struct Journal {
    commands: mpsc::Sender<Command>,
    pending: Arc<Mutex<Pending>>,
    writing: Arc<TaskHealth>,
    time: Arc<SharedTime>,
    /// None where the records are in the main database, which others read.
    reader: Option<Mutex<FileStore>>,
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
    pub(super) fn open(path: &Path, newest_queue: i64) -> Result<Opened, DbError> {
        let mut store = FileStore::open(path)?;
        store.initialize(newest_queue)?;
        let running_ms = store.meta("running_ms")?;
        let lost_up_to = store.meta("lost_up_to")?;
        let reader = FileStore::open(path)?;
        Ok(Opened {
            journal: Self::start(Store::File(store), Some(reader))?,
            running_ms,
            lost_up_to,
        })
    }

    /// The records in a database that several nodes share.
    pub(super) fn shared(database: &Location, clock: &Clock) -> Result<Opened, DbError> {
        let mut store = SharedStore::open(database, clock)?;
        let running_ms = store.running_ms(0)?;
        Ok(Opened {
            journal: Self::start(Store::Shared(store), None)?,
            running_ms,
            lost_up_to: 0,
        })
    }

    fn start(store: Store, reader: Option<FileStore>) -> Result<Self, DbError> {
        let pending = Arc::new(Mutex::new(Pending::default()));
        let writing = Arc::new(TaskHealth::new("writing positions of queues"));
        let time = Arc::new(SharedTime::default());
        let (commands, received) = mpsc::channel();
        let thread = std::thread::Builder::new()
            .name("queue-journal".to_owned())
            .spawn({
                let (pending, writing) = (Arc::clone(&pending), Arc::clone(&writing));
                let time = Arc::clone(&time);
                move || thread::run(store, &received, &pending, &time, &writing)
            })
            .map_err(|error| DbError::Failed(format!("no thread can be started: {error}")))?;
        Ok(Self {
            commands,
            pending,
            writing,
            time,
            reader: reader.map(Mutex::new),
            thread: Mutex::new(Some(thread)),
        })
    }

    /// By how much the running time of all nodes is ahead of this node's.
    pub(super) fn ahead(&self) -> Duration {
        let milliseconds = self.time.0.load(Ordering::Acquire);
        Duration::from_millis(u64::try_from(milliseconds).unwrap_or(0))
    }

    /// Whether positions are being written; otherwise the reason.
    pub(super) fn check(&self) -> Result<(), String> {
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner);
        if thread.as_ref().is_some_and(JoinHandle::is_finished) {
            return Err("the thread that writes positions of queues has ended".to_owned());
        }
        self.writing.check()
    }

    /// Everything that the file holds of a queue. Blocks.
    pub(super) fn load(&self, queue_id: &str) -> rusqlite::Result<Stored> {
        self.read(|file| file.load(queue_id))
    }

    /// Every position in the file, by queue. Blocks.
    pub(super) fn positions(&self) -> rusqlite::Result<HashMap<String, Position>> {
        self.read(FileStore::positions)
    }

    /// Queues that have ended by the file but may still be in the main database. Blocks.
    pub(super) fn ended(&self) -> rusqlite::Result<Vec<String>> {
        self.read(FileStore::ended)
    }

    fn read<T: Default>(
        &self,
        read: impl FnOnce(&FileStore) -> rusqlite::Result<T>,
    ) -> rusqlite::Result<T> {
        let Some(reader) = &self.reader else {
            return Ok(T::default());
        };
        read(&reader.lock().unwrap_or_else(PoisonError::into_inner))
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
    pub(super) fn heartbeats(&self, batch: Vec<Heartbeat>) -> oneshot::Receiver<bool> {
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
