//! Health of background tasks: their last activity and their current failure.
//!
//! Owns the restart of a thread that has ended, and the log records: one for each failure and one for
//! the recovery. Callers decide whether a failure makes the service unavailable.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Pause before the restart of a thread that has ended; doubled each time.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
/// The longest such pause.
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// The health of one background task.
#[derive(Debug)]
pub(super) struct TaskHealth {
    /// What the task does, for the log and `/health/ready`.
    task: &'static str,
    started: Instant,
    /// Its last activity, in milliseconds after `started`.
    last_activity: AtomicU64,
    is_failing: AtomicBool,
    trouble: Mutex<Option<String>>,
}

impl TaskHealth {
    pub(super) fn new(task: &'static str) -> Self {
        Self {
            task,
            started: Instant::now(),
            last_activity: AtomicU64::new(0),
            is_failing: AtomicBool::new(false),
            trouble: Mutex::default(),
        }
    }

    /// Records that the task has succeeded.
    pub(super) fn record_success(&self) {
        self.record_activity();
        if self.is_failing.swap(false, Ordering::AcqRel) {
            *self.trouble() = None;
            tracing::info!(task = self.task, "a background task has recovered");
        }
    }

    /// Records that the task has failed and will retry.
    pub(super) fn record_failure(&self, reason: &str) {
        self.record_activity();
        let before = self.trouble().replace(reason.to_owned());
        self.is_failing.store(true, Ordering::Release);
        if before.is_none() {
            tracing::error!(
                task = self.task,
                reason,
                "a background task failed and will be retried"
            );
        }
    }

    /// Time since the last activity.
    pub(super) fn idle_time(&self) -> Duration {
        let last_activity = Duration::from_millis(self.last_activity.load(Ordering::Acquire));
        self.started.elapsed().saturating_sub(last_activity)
    }

    /// The current failure, if any.
    pub(super) fn check(&self) -> Result<(), String> {
        match &*self.trouble() {
            None => Ok(()),
            Some(reason) => Err(format!("{} fails: {reason}", self.task)),
        }
    }

    /// As [`Self::check`], for a task that is always active: no activity for `patience` is a failure
    /// too.
    pub(super) fn check_within(&self, patience: Duration) -> Result<(), String> {
        self.check()?;
        let idle_time = self.idle_time();
        if idle_time > patience {
            let seconds = idle_time.as_secs();
            return Err(format!("{} has been idle for {seconds} s", self.task));
        }
        Ok(())
    }

    fn record_activity(&self) {
        let now = u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.last_activity.store(now, Ordering::Release);
    }

    fn trouble(&self) -> MutexGuard<'_, Option<String>> {
        self.trouble.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The counter of a thread's restarts.
pub(super) fn restarts(thread: &'static str) -> metrics::Counter {
    let restarts = metrics::counter!("spindle_thread_restarts_total", "thread" => thread);
    restarts.increment(0);
    restarts
}

/// Runs `work` until it returns `Ok`. When it fails or panics, it is restarted after a pause; its
/// argument is the number of restarts. `trouble` is called with the reason and returns whether the
/// work is still needed.
pub(super) fn keep_going(
    thread: &'static str,
    trouble: impl Fn(&str) -> bool,
    mut work: impl FnMut(u64) -> Result<(), String>,
) {
    let mut pause = FIRST_PAUSE;
    let restarts = restarts(thread);
    for times in 0.. {
        let started = Instant::now();
        let reason = match catch_unwind(AssertUnwindSafe(|| work(times))) {
            Ok(Ok(())) => return,
            Ok(Err(reason)) => reason,
            Err(_) => "the thread panicked".to_owned(),
        };
        if !trouble(&reason) {
            return;
        }
        restarts.increment(1);
        tracing::error!(thread, reason, "a thread ended and will be restarted");
        if started.elapsed() > LONGEST_PAUSE {
            pause = FIRST_PAUSE;
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}

/// Runs a closure; a panic counts as a failure.
pub(super) fn attempt<T, E: std::fmt::Display>(
    work: impl FnOnce() -> Result<T, E>,
) -> Result<T, String> {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(result) => result.map_err(|error| error.to_string()),
        Err(_) => Err("it panicked".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_that_ends_is_started_again() {
        let troubles = Mutex::new(Vec::new());
        let mut starts = Vec::new();
        keep_going(
            "test",
            |reason| {
                troubles.lock().unwrap().push(reason.to_owned());
                true
            },
            |times| {
                starts.push(times);
                match times {
                    0 => panic!("on purpose"),
                    1 => Err("no luck".to_owned()),
                    _ => Ok(()),
                }
            },
        );
        assert_eq!(starts, [0, 1, 2]);
        assert_eq!(
            *troubles.lock().unwrap(),
            ["the thread panicked", "no luck"]
        );
        let mut starts = 0;
        let ends = |_: u64| {
            starts += 1;
            Err("gone".to_owned())
        };
        keep_going("test", |_| false, ends);
        assert_eq!(starts, 1, "the work is no longer needed");
    }

    #[test]
    fn trouble_lasts_until_the_next_beat() {
        let health = TaskHealth::new("the work");
        health.record_success();
        assert_eq!(health.check(), Ok(()));
        health.record_failure("disk gone");
        health.record_failure("disk still gone");
        let check = health.check_within(Duration::from_secs(60));
        assert_eq!(check, Err("the work fails: disk still gone".to_owned()));
        health.record_success();
        assert_eq!(health.check_within(Duration::from_secs(60)), Ok(()));
        std::thread::sleep(Duration::from_millis(20));
        let check = health.check_within(Duration::from_millis(1));
        assert!(check.is_err_and(|reason| reason.contains("has been idle for")));
        assert_eq!(
            attempt(|| -> Result<(), String> { panic!("on purpose") }),
            Err("it panicked".to_owned())
        );
    }
}
