//! The commit thread.
//!
//! A commit waits for the disk. On the runtime's pool of blocking threads it would also queue behind
//! file reads, image scaling and searches. This module owns the thread; `writer.rs` decides what is
//! committed and answers the members.

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
    /// `Refused` when the system cannot start a thread.
    pub(super) fn start() -> Result<Self, DatabaseError> {
        let (jobs, received) = mpsc::channel::<Job>();
        std::thread::Builder::new()
            .name("commit".to_owned())
            .spawn(move || {
                for job in received {
                    // A panic loses the job's own group, but not later ones.
                    let ended = std::panic::catch_unwind(std::panic::AssertUnwindSafe(job));
                    if ended.is_err() {
                        tracing::error!("a commit panicked");
                    }
                }
            })
            .map_err(|_| DatabaseError::Refused("no thread for commits can be started"))?;
        Ok(Self { jobs })
    }

    /// Queues `job` behind the earlier ones.
    pub(super) fn run(&self, job: impl FnOnce() + Send + 'static) {
        // The thread ends only when this is dropped.
        let _ = self.jobs.send(Box::new(job));
    }
}
