//! The commit thread.
//!
//! A commit waits for the disk. On the runtime's pool of blocking threads it would also queue behind
//! file reads, image scaling and searches. This module owns the thread; `writer.rs` decides what is
//! committed and answers the members.

use super::error::DatabaseError;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::Instant;

type Job = Box<dyn FnOnce() + Send>;

/// A job, and when it is due, unless immediately.
struct Order {
    due: Option<Instant>,
    job: Job,
}

/// Runs jobs one after another, on one thread, until it is dropped.
pub(super) struct Committer {
    orders: mpsc::Sender<Order>,
}

impl Committer {
    /// Starts the thread.
    pub(super) fn start() -> Result<Self, DatabaseError> {
        let (orders, received) = mpsc::channel();
        std::thread::Builder::new()
            .name("commit".to_owned())
            .spawn(move || work(&received))
            .map_err(|_| DatabaseError::Refused("no thread for commits can be started"))?;
        Ok(Self { orders })
    }

    /// Queues `job` behind the earlier ones.
    pub(super) fn run(&self, job: impl FnOnce() + Send + 'static) {
        self.order(None, Box::new(job));
    }

    /// Runs `job` at this time, unless another one is given a time before that: there is one at most.
    pub(super) fn run_at(&self, due: Instant, job: impl FnOnce() + Send + 'static) {
        self.order(Some(due), Box::new(job));
    }

    fn order(&self, due: Option<Instant>, job: Job) {
        // The thread ends only when this is dropped.
        let _ = self.orders.send(Order { due, job });
    }
}

fn work(received: &Receiver<Order>) {
    let mut later: Option<(Instant, Job)> = None;
    loop {
        let next = match &later {
            None => received.recv().map_err(|_| RecvTimeoutError::Disconnected),
            Some((due, _)) => received.recv_timeout(due.saturating_duration_since(Instant::now())),
        };
        match next {
            Ok(Order { due: None, job }) => run(job),
            Ok(Order {
                due: Some(due),
                job,
            }) => later = Some((due, job)),
            Err(RecvTimeoutError::Timeout) => {
                if let Some((_, job)) = later.take() {
                    run(job);
                }
            }
            Err(RecvTimeoutError::Disconnected) => return,
        }
    }
}

fn run(job: Job) {
    // A panic loses the job's own group, but not later ones.
    if std::panic::catch_unwind(std::panic::AssertUnwindSafe(job)).is_err() {
        tracing::error!("a commit panicked");
    }
}
