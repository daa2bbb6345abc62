//! Work that no request waits for, done by calling internal routes of the components.
//!
//! Owns when; what is done is decided by the routes, which are closed without the shared
//! token and find nothing left to do when called twice. The same timers work in `spindle
//! serve`, where a call stays in the process, and in `spindle events`, where it goes to Spin.

mod bots;
mod calls;
mod collect;
mod complaints;
mod files;
mod finish;
mod full_members;
mod http_calls;
mod in_process;
mod invitations;
mod measure;
mod outcome;
mod push;
mod retention;
mod scheduled;

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use tokio::task::JoinHandle;

use self::complaints::Complaints;
use crate::clock::Clock;

pub use bots::CallBots;
pub use calls::{CallFailed, InternalCalls};
pub use collect::CollectQueues;
pub use files::CleanFiles;
pub use finish::FinishChanges;
pub use full_members::PromoteFullMembers;
pub use http_calls::HttpCalls;
pub use in_process::InProcessCalls;
pub use invitations::CleanInvitations;
pub use measure::MeasureChannels;
pub use push::CallPushService;
pub use retention::ExpireMessages;
pub use scheduled::DeliverScheduledMessages;

/// Something that is due again and again.
#[async_trait::async_trait]
pub trait Job: Send + Sync + 'static {
    /// For the log and for figures.
    fn name(&self) -> &'static str;

    /// The internal routes that it may call.
    fn routes(&self) -> &'static [&'static str];

    /// Time between two runs.
    fn every(&self) -> Duration;

    /// Ends when there is a reason to run before it is time.
    async fn sooner(&self) {
        std::future::pending().await
    }

    /// One run.
    async fn run(&self, calls: &dyn InternalCalls) -> Result<(), CallFailed>;
}

/// Running timers; dropping them ends them.
#[derive(Debug)]
pub struct Timers {
    tasks: Vec<JoinHandle<()>>,
}

impl Timers {
    /// Runs each job for the first time when its interval is over. Must be called within a
    /// tokio runtime.
    #[must_use]
    pub fn start(clock: &Clock, calls: &Arc<dyn InternalCalls>, jobs: Vec<Box<dyn Job>>) -> Self {
        let complaints = Complaints::default();
        let tasks = jobs
            .into_iter()
            .map(|job| {
                let complaints = complaints.clone();
                tokio::spawn(repeat(clock.clone(), Arc::clone(calls), job, complaints))
            })
            .collect();
        Self { tasks }
    }
}

impl Drop for Timers {
    fn drop(&mut self) {
        for task in &self.tasks {
            task.abort();
        }
    }
}

/// The calls of one job, to the routes that it names.
struct Granted {
    calls: Arc<dyn InternalCalls>,
    job: &'static str,
    routes: &'static [&'static str],
}

#[async_trait::async_trait]
impl InternalCalls for Granted {
    async fn ask(&self, path: &str, form: String) -> Result<Bytes, CallFailed> {
        if !self.routes.contains(&path) {
            let job = self.job;
            return Err(CallFailed::Unreachable(format!(
                "{job} may not call {path}"
            )));
        }
        self.calls.ask(path, form).await
    }
}

async fn repeat(
    clock: Clock,
    calls: Arc<dyn InternalCalls>,
    job: Box<dyn Job>,
    complaints: Complaints,
) {
    // Known before the first run, so that a rate has something to begin with.
    let [done, failed] = ["done", "failed"].map(|outcome| {
        metrics::counter!("spindle_timer_runs_total", "timer" => job.name(), "outcome" => outcome)
    });
    let calls = Granted {
        calls,
        job: job.name(),
        routes: job.routes(),
    };
    loop {
        tokio::select! {
            () = clock.wait_until(clock.running_time() + job.every()) => {}
            () = job.sooner() => {}
        }
        match job.run(&calls).await {
            Ok(()) => {
                complaints.works(job.name());
                done.increment(1);
            }
            Err(error) => {
                complaints.failed(job.name(), &error, clock.running_time());
                failed.increment(1);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;
    use tokio::sync::mpsc;

    struct Recorder(Mutex<Vec<(String, String)>>);

    #[async_trait::async_trait]
    impl InternalCalls for Recorder {
        async fn ask(&self, path: &str, form: String) -> Result<bytes::Bytes, CallFailed> {
            self.0.lock().unwrap().push((path.to_owned(), form));
            Ok(bytes::Bytes::new())
        }
    }

    struct Hourly(mpsc::Sender<()>);

    #[async_trait::async_trait]
    impl Job for Hourly {
        fn name(&self) -> &'static str {
            "hourly"
        }

        fn routes(&self) -> &'static [&'static str] {
            &["/internal/x"]
        }

        fn every(&self) -> Duration {
            Duration::from_secs(3600)
        }

        async fn run(&self, calls: &dyn InternalCalls) -> Result<(), CallFailed> {
            calls.post("/internal/x", "a=1".to_owned()).await?;
            let other = calls.post("/internal/y", String::new()).await;
            assert!(other.unwrap_err().to_string().contains("hourly may not"));
            let _ = self.0.send(()).await;
            Ok(())
        }
    }

    #[tokio::test]
    async fn a_job_runs_when_its_time_has_come() {
        let clock = Clock::new();
        let recorder = Arc::new(Recorder(Mutex::default()));
        let calls: Arc<dyn InternalCalls> = recorder.clone();
        let (sender, mut ran) = mpsc::channel(1);
        let timers = Timers::start(&clock, &calls, vec![Box::new(Hourly(sender))]);
        tokio::time::sleep(Duration::from_millis(20)).await;
        assert!(recorder.0.lock().unwrap().is_empty());
        for runs in 1..3 {
            clock.advance(3600);
            ran.recv().await.unwrap();
            assert_eq!(recorder.0.lock().unwrap().len(), runs);
            // Let the next wait begin before the clock moves again.
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        drop(timers);
    }
}
