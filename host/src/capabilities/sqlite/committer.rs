//! The thread that commits.
//!
//! A commit waits for the disk. On the runtime's pool of blocking threads it would also wait for
//! everything else there: files that are read, pictures that are scaled, searches. Owns that
//! thread; what is committed, and who is told, is the writer's.

use super::error::DatabaseError;
use std::sync::mpsc;

type Job = Box<dyn FnOnce() + Send>;

/// Runs jobs one after another, on one thread, until it is dropped.
pub(super) struct Committer {
    jobs: mpsc::Sender<Job>,
}

impl Committer {
    /// Starts the thread.
    ///
    /// # Errors
    ///
    /// When the system gives no thread.
    pub(super) fn start() -> Result<Self, DatabaseError> {
        let (jobs, received) = mpsc::channel::<Job>();
        std::thread::Builder::new()
            .name("commit".to_owned())
            .spawn(move || {
                for job in received {
                    // A job that panics has lost its group, not those after it.
                    let ended = std::panic::catch_unwind(std::panic::AssertUnwindSafe(job));
                    if ended.is_err() {
                        tracing::error!("a commit panicked");
                    }
                }
            })
            .map_err(|_| DatabaseError::Refused("no thread for commits can be started"))?;
        Ok(Self { jobs })
    }

    /// Runs `job` after those that were given before.
    pub(super) fn run(&self, job: impl FnOnce() + Send + 'static) {
        // The thread ends only when this is dropped.
        let _ = self.jobs.send(Box::new(job));
    }
}
