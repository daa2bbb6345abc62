//! How a part of the service is doing that must not stop: whether it is heard of, and what it fails at.
//!
//! Owns the starting again of a thread that has ended, and what the log says of it: each trouble once,
//! and its end. Whether clients are turned away because of it is decided by who asks.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Pause before a thread that has ended is started again; twice as long each further time.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
/// The longest such pause.
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// The pulse of one part.
#[derive(Debug)]
pub(super) struct Pulse {
    /// What the part does, for people: the log, `/health/ready`.
    task: &'static str,
    started: Instant,
    /// When it was heard of last, in milliseconds after `started`.
    heard: AtomicU64,
    fails: AtomicBool,
    trouble: Mutex<Option<String>>,
}

impl Pulse {
    pub(super) fn new(task: &'static str) -> Self {
        Self {
            task,
            started: Instant::now(),
            heard: AtomicU64::new(0),
            fails: AtomicBool::new(false),
            trouble: Mutex::default(),
        }
    }

    /// The part has done what it should.
    pub(super) fn beats(&self) {
        self.is_heard();
        if self.fails.swap(false, Ordering::AcqRel) {
            *self.trouble() = None;
            tracing::info!(task = self.task, "goes on again");
        }
    }

    /// The part has failed, and will try again.
    pub(super) fn fails(&self, reason: &str) {
        self.is_heard();
        let before = self.trouble().replace(reason.to_owned());
        self.fails.store(true, Ordering::Release);
        if before.is_none() {
            tracing::error!(task = self.task, reason, "fails, and is tried again");
        }
    }

    /// Since when nothing was heard of the part.
    pub(super) fn silence(&self) -> Duration {
        let heard = Duration::from_millis(self.heard.load(Ordering::Acquire));
        self.started.elapsed().saturating_sub(heard)
    }

    /// What the part fails at.
    pub(super) fn check(&self) -> Result<(), String> {
        match &*self.trouble() {
            None => Ok(()),
            Some(reason) => Err(format!("{} fails: {reason}", self.task)),
        }
    }

    /// As [`Self::check`], for a part that is heard of all the time: silence for longer than
    /// `patience` is a failure as well.
    pub(super) fn check_within(&self, patience: Duration) -> Result<(), String> {
        self.check()?;
        let silence = self.silence();
        if silence > patience {
            let seconds = silence.as_secs();
            return Err(format!("{} stands still since {seconds} s", self.task));
        }
        Ok(())
    }

    fn is_heard(&self) {
        let now = u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.heard.store(now, Ordering::Release);
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

/// Runs `work` until it ends as it should. When it fails or panics, it is started again after a
/// pause; its argument says how often that has happened. `trouble` is told why, and says whether the
/// work is needed still.
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
        tracing::error!(thread, reason, "a thread has ended and is started again");
        if started.elapsed() > LONGEST_PAUSE {
            pause = FIRST_PAUSE;
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}

/// Does something that may panic; that is a failure like others.
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
        assert_eq!(starts, 1, "nobody needs it any more");
    }

    #[test]
    fn trouble_lasts_until_the_next_beat() {
        let pulse = Pulse::new("the work");
        pulse.beats();
        assert_eq!(pulse.check(), Ok(()));
        pulse.fails("disk gone");
        pulse.fails("disk still gone");
        let check = pulse.check_within(Duration::from_secs(60));
        assert_eq!(check, Err("the work fails: disk still gone".to_owned()));
        pulse.beats();
        assert_eq!(pulse.check_within(Duration::from_secs(60)), Ok(()));
        std::thread::sleep(Duration::from_millis(20));
        let check = pulse.check_within(Duration::from_millis(1));
        assert!(check.is_err_and(|reason| reason.contains("stands still")));
        assert_eq!(
            attempt(|| -> Result<(), String> { panic!("on purpose") }),
            Err("it panicked".to_owned())
        );
    }
}
