//! When the log says that the work of jobs fails.
//!
//! Some jobs run every second, so a failure that lasts would fill the log. It is logged
//! immediately, and again at growing intervals while it lasts. Counting is the metrics' task.

use std::collections::HashMap;
use std::fmt::Display;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Time until a failure is logged for the second time; each further time takes twice as long.
const FIRST_DISTANCE: Duration = Duration::from_secs(60);
/// Longest time between two.
const LONGEST_DISTANCE: Duration = Duration::from_secs(3600);

/// The jobs that fail now. Clones share them.
#[derive(Debug, Clone, Default)]
pub(super) struct FailureLog(Arc<Mutex<Failures>>);

/// By the name of the job.
#[derive(Debug, Default)]
struct Failures(HashMap<&'static str, Logged>);

/// When a failure was logged.
#[derive(Debug, Clone, Copy)]
struct Logged {
    /// Running time.
    last: Duration,
    distance: Duration,
}

impl FailureLog {
    /// A job has failed; `now` is the running time of the clock.
    pub(super) fn failed(&self, job: &'static str, error: &impl Display, now: Duration) {
        if self.failures().is_to_be_logged(job, now) {
            tracing::warn!(job, %error, "a job has failed and is tried again later");
        }
    }

    /// A job has done its work.
    pub(super) fn works(&self, job: &'static str) {
        self.failures().0.remove(job);
    }

    fn failures(&self) -> MutexGuard<'_, Failures> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Failures {
    fn is_to_be_logged(&mut self, job: &'static str, now: Duration) -> bool {
        let distance = match self.0.get(job) {
            None => FIRST_DISTANCE,
            Some(before) if now.saturating_sub(before.last) >= before.distance => {
                (before.distance * 2).min(LONGEST_DISTANCE)
            }
            Some(_) => return false,
        };
        let last = now;
        self.0.insert(job, Logged { last, distance });
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn logged(failure_log: &FailureLog, job: &'static str, seconds: u64) -> Vec<u64> {
        (0..seconds)
            .filter(|second| {
                let now = Duration::from_secs(*second);
                failure_log.failures().is_to_be_logged(job, now)
            })
            .collect()
    }

    #[test]
    fn a_failure_that_lasts_is_logged_less_and_less() {
        let failure_log = FailureLog::default();
        let expected = [0, 60, 180, 420, 900, 1860, 3780, 7380];
        assert_eq!(logged(&failure_log, "job", 10_000), expected);
    }

    #[test]
    fn one_that_is_over_is_logged_anew() {
        let failure_log = FailureLog::default();
        assert_eq!(logged(&failure_log, "one", 100), [0, 60]);
        assert_eq!(logged(&failure_log, "other", 50), [0]);
        failure_log.works("one");
        assert_eq!(logged(&failure_log, "one", 50), [0]);
        assert!(logged(&failure_log, "other", 50).is_empty());
    }
}
