//! When the log is told that timers' work fails.
//!
//! Some jobs run every second, so a failure that lasts would fill the log. It is told at once, and
//! again at growing distances for as long as it lasts. That nobody listens where the application
//! should is one failure of all jobs. Counting is the metrics' task.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
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
pub(super) struct Complaints(Arc<Mutex<Standing>>);

#[derive(Debug, Default)]
struct Standing {
    told: HashMap<&'static str, Told>,
    /// Jobs that got no answer from the application. Others may work without asking it.
    unanswered: HashSet<&'static str>,
}

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
        let mut standing = self.standing();
        if subject == APPLICATION {
            standing.unanswered.insert(job);
        }
        if !standing.is_to_be_told(subject, now) {
            return;
        }
        drop(standing);
        if subject == APPLICATION {
            tracing::warn!(%error, "timers wait for the application");
        } else {
            tracing::warn!(job, %error, "a timer's work has failed and is tried again later");
        }
    }

    /// A job has done its work.
    pub(super) fn works(&self, job: &'static str) {
        let mut standing = self.standing();
        standing.told.remove(job);
        if standing.unanswered.remove(job) && standing.told.remove(APPLICATION).is_some() {
            tracing::info!("the application answers timers again");
        }
    }

    fn standing(&self) -> MutexGuard<'_, Standing> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Standing {
    fn is_to_be_told(&mut self, subject: &'static str, now: Duration) -> bool {
        let distance = match self.told.get(subject) {
            None => FIRST_DISTANCE,
            Some(before) if now.saturating_sub(before.last) >= before.distance => {
                (before.distance * 2).min(LONGEST_DISTANCE)
            }
            Some(_) => return false,
        };
        let last = now;
        self.told.insert(subject, Told { last, distance });
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(complaints: &Complaints, subject: &'static str, seconds: u64) -> Vec<u64> {
        (0..seconds)
            .filter(|second| {
                let now = Duration::from_secs(*second);
                complaints.standing().is_to_be_told(subject, now)
            })
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
        complaints.standing().unanswered.insert("one");
        // One that may not have asked says nothing of the application.
        complaints.works("third");
        assert!(told(&complaints, APPLICATION, 50).is_empty());
        complaints.works("one");
        assert_eq!(told(&complaints, "one", 50), [0]);
        assert_eq!(told(&complaints, APPLICATION, 50), [0]);
        assert!(told(&complaints, "other", 50).is_empty());
    }
}
