//! When the log is told that timers' work fails.
//!
//! Some jobs run every second, so a failure that lasts would fill the log. It is told at once, and
//! again at growing distances for as long as it lasts. That nobody listens where the application
//! should is one failure of all jobs. Counting is the metrics' task.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::calls::CallFailed;

/// Time until a failure is told for the second time; each further time takes twice as long.
const FIRST_DISTANCE: Duration = Duration::from_secs(60);
/// Longest time between two.
const LONGEST_DISTANCE: Duration = Duration::from_secs(3600);

/// Stands for all jobs.
const APPLICATION: &str = "";

/// What fails now. Clones share it.
#[derive(Debug, Clone, Default)]
pub(super) struct Complaints(Arc<Mutex<HashMap<&'static str, Told>>>);

/// When a failure was told.
#[derive(Debug, Clone, Copy)]
struct Told {
    /// Running time.
    last: Duration,
    distance: Duration,
}

impl Complaints {
    /// A job has failed; `now` is the running time of the clock.
    pub(super) fn failed(&self, job: &'static str, error: &CallFailed, now: Duration) {
        let subject = match error {
            CallFailed::Absent(_) => APPLICATION,
            _ => job,
        };
        if !self.is_to_be_told(subject, now) {
            return;
        }
        if subject == APPLICATION {
            tracing::warn!(%error, "timers wait for the application");
        } else {
            tracing::warn!(job, %error, "a timer's work has failed and is tried again later");
        }
    }

    /// A job has done its work.
    pub(super) fn works(&self, job: &'static str) {
        let mut told = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        told.remove(job);
        if told.remove(APPLICATION).is_some() {
            tracing::info!("the application answers timers again");
        }
    }

    fn is_to_be_told(&self, subject: &'static str, now: Duration) -> bool {
        let mut told = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let distance = match told.get(subject) {
            None => FIRST_DISTANCE,
            Some(before) if now.saturating_sub(before.last) >= before.distance => {
                (before.distance * 2).min(LONGEST_DISTANCE)
            }
            Some(_) => return false,
        };
        let last = now;
        told.insert(subject, Told { last, distance });
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(complaints: &Complaints, subject: &'static str, seconds: u64) -> Vec<u64> {
        (0..seconds)
            .filter(|second| complaints.is_to_be_told(subject, Duration::from_secs(*second)))
            .collect()
    }

    #[test]
    fn a_failure_that_lasts_is_told_less_and_less() {
        let complaints = Complaints::default();
        let expected = [0, 60, 180, 420, 900, 1860, 3780, 7380];
        assert_eq!(told(&complaints, "job", 10_000), expected);
    }

    #[test]
    fn one_that_is_over_is_told_anew() {
        let complaints = Complaints::default();
        assert_eq!(told(&complaints, "one", 100), [0, 60]);
        assert_eq!(told(&complaints, APPLICATION, 50), [0]);
        assert_eq!(told(&complaints, "other", 50), [0]);
        complaints.works("one");
        assert_eq!(told(&complaints, "one", 50), [0]);
        assert_eq!(told(&complaints, APPLICATION, 50), [0]);
        assert!(told(&complaints, "other", 50).is_empty());
    }
}
