//! Jobs: work that no request waits for, done again and again.
//!
//! Owns the schedule. The actions that a job calls do the work and are idempotent. The same jobs
//! run in `spindle serve` and in `spindle events`, which differ in [`JobStore`] only; `crate::serve`
//! lists them. A job that is one action is a row in [`actions`]; no job calls a component.

pub mod actions;
pub mod apps;
pub mod bots;
pub mod collect;
mod failure_log;
pub mod files;
pub mod mail;
#[cfg(test)]
mod native_tests;
mod outcome;
pub mod push;
mod store;
#[cfg(test)]
pub(crate) mod testing;

use std::fmt::Display;
use std::time::Duration;

use spindle_actions::ActionError;
use spindle_store::{Connection, DbError, SilentReason, change_silently, jobs as claims};
use tokio::task::{JoinError, JoinHandle};

use self::failure_log::FailureLog;
use spindle_system::clock::Clock;

pub use store::JobStore;
pub use store::StopWhenDropped;

/// Why a run has failed; for the log.
#[derive(Debug, thiserror::Error)]
pub enum JobFailed {
    #[error(transparent)]
    Action(#[from] ActionError),
    /// The action, which runs on another thread, has panicked.
    #[error("the work ended early: {0}")]
    Ended(#[from] JoinError),
    /// A step that is no action.
    #[error("{0}")]
    Other(String),
}

impl JobFailed {
    /// A failure of something else than an action.
    pub fn other(cause: impl Display) -> Self {
        Self::Other(cause.to_string())
    }
}

/// Something that is due again and again.
#[async_trait::async_trait]
pub trait Job: Send + Sync + 'static {
    /// For the log and for metrics.
    fn name(&self) -> &'static str;

    /// Time between two runs.
    fn every(&self) -> Duration;

    /// Whether one node runs it for all that share the database. Other jobs claim what they work on, so that
    /// several nodes share the work. Either way a run that another node repeats does no harm.
    fn is_for_one_node(&self) -> bool {
        false
    }

    /// Ends when there is a reason to run before it is time.
    async fn sooner(&self) {
        std::future::pending().await
    }

    /// One run. Its actions run on `store`.
    async fn run(&self, store: &JobStore) -> Result<(), JobFailed>;
}

/// Running jobs; dropping them ends them.
#[derive(Debug)]
pub struct Jobs {
    tasks: Vec<JoinHandle<()>>,
}

impl Jobs {
    /// Runs each job for the first time when its interval is over. Must be called within a
    /// tokio runtime.
    #[must_use]
    pub fn start(clock: &Clock, store: &JobStore, jobs: Vec<Box<dyn Job>>) -> Self {
        let failure_log = FailureLog::default();
        let start = |job| {
            let (clock, store) = (clock.clone(), store.clone());
            tokio::spawn(repeat(clock, store, job, failure_log.clone()))
        };
        Self {
            tasks: jobs.into_iter().map(start).collect(),
        }
    }
}

impl Drop for Jobs {
    fn drop(&mut self) {
        for task in &self.tasks {
            task.abort();
        }
    }
}

async fn repeat(clock: Clock, store: JobStore, job: Box<dyn Job>, failure_log: FailureLog) {
    // Known before the first run, so that a rate has something to begin with.
    let [done, failed] = ["done", "failed"].map(|outcome| {
        metrics::counter!("spindle_timer_runs_total", "timer" => job.name(), "outcome" => outcome)
    });
    loop {
        tokio::select! {
            () = clock.wait_until(clock.running_time() + job.every()) => {}
            () = job.sooner() => {}
        }
        let outcome = match claim(&store, &*job).await {
            Ok(true) => job.run(&store).await,
            Ok(false) => continue,
            Err(error) => Err(error),
        };
        match outcome {
            Ok(()) => {
                failure_log.works(job.name());
                done.increment(1);
            }
            Err(error) => {
                failure_log.failed(job.name(), &error, clock.running_time());
                failed.increment(1);
            }
        }
    }
}

/// Whether this node runs the job now. Of the nodes that share a database, the first one whose interval is over does;
/// when it ends in the middle, another one does after the next interval.
async fn claim(store: &JobStore, job: &dyn Job) -> Result<bool, JobFailed> {
    if !store.has_other_nodes() || !job.is_for_one_node() {
        return Ok(true);
    }
    let name = format!("timer {}", job.name());
    let seconds = i64::try_from(job.every().as_secs()).unwrap_or(i64::MAX);
    let claim = move |db: &dyn Connection, now: i64| {
        let claimed = change_silently(db, SilentReason::Housekeeping, |tx| {
            claims::claim(tx, &name, now, seconds)
        });
        match claimed {
            // Another node has claimed it in this moment.
            Err(DbError::Conflict(_)) => Ok(false),
            claimed => Ok(claimed?),
        }
    };
    store.run(claim).await
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::sync::mpsc;

    struct Hourly(mpsc::Sender<i64>);

    #[async_trait::async_trait]
    impl Job for Hourly {
        fn name(&self) -> &'static str {
            "hourly"
        }

        fn every(&self) -> Duration {
            Duration::from_secs(3600)
        }

        async fn run(&self, store: &JobStore) -> Result<(), JobFailed> {
            let now = store.run(|_, now| Ok(now)).await?;
            self.0.send(now).await.map_err(JobFailed::other)
        }
    }

    #[tokio::test]
    async fn a_job_runs_when_its_time_has_come() {
        let clock = Clock::new();
        let organization = testing::Organization::create();
        let store = JobStore::file(organization.database(), clock.clone());
        let (sender, mut ran) = mpsc::channel(1);
        let jobs = Jobs::start(&clock, &store, vec![Box::new(Hourly(sender))]);
        tokio::task::yield_now().await;
        assert!(ran.try_recv().is_err());
        for _ in 0..2 {
            // A wait that begins after the clock was moved lasts another hour.
            let now = loop {
                clock.advance(3600);
                let soon = Duration::from_millis(20);
                if let Ok(now) = tokio::time::timeout(soon, ran.recv()).await {
                    break now.unwrap();
                }
            };
            assert!((clock.unix_seconds() - 3660..=clock.unix_seconds()).contains(&now));
        }
        drop(jobs);
    }
}
