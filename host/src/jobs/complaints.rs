//! When the log says that the work of jobs fails.
//!
//! Some jobs run every second, so a failure that lasts would fill the log. It is logged at once, and
//! again at growing distances for as long as it lasts. Counting is the metrics' task.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::JobFailed;

/// Time until a failure is logged for the second time; each further time takes twice as long.
const FIRST_DISTANCE: Duration = Duration::from_secs(60);
/// Longest time between two.
const LONGEST_DISTANCE: Duration = Duration::from_secs(3600);

/// What fails now. Clones share it.
#[derive(Debug, Clone, Default)]
pub(super) struct Complaints(Arc<Mutex<Standing>>);

/// By the name of the job.
#[derive(Debug, Default)]
struct Standing(HashMap<&'static str, Logged>);

/// When a failure was logged.
#[derive(Debug, Clone, Copy)]
struct Logged {
    /// Running time.
    last: Duration,
    distance: Duration,
}

impl Complaints {
    /// A job has failed; `now` is the running time of the clock.
    pub(super) fn failed(&self, job: &'static str, error: &JobFailed, now: Duration) {
        if self.standing().is_to_be_logged(job, now) {
            tracing::warn!(job, %error, "a job has failed and is tried again later");
        }
    }

    /// A job has done its work.
    pub(super) fn works(&self, job: &'static str) {
        self.standing().0.remove(job);
    }

    fn standing(&self) -> MutexGuard<'_, Standing> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Standing {
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

    fn logged(complaints: &Complaints, job: &'static str, seconds: u64) -> Vec<u64> {
        (0..seconds)
            .filter(|second| {
                let now = Duration::from_secs(*second);
                complaints.standing().is_to_be_logged(job, now)
            })
            .collect()
    }

    #[test]
    fn a_failure_that_lasts_is_logged_less_and_less() {
        let complaints = Complaints::default();
        let expected = [0, 60, 180, 420, 900, 1860, 3780, 7380];
        assert_eq!(logged(&complaints, "job", 10_000), expected);
    }

    #[test]
    fn one_that_is_over_is_logged_anew() {
        let complaints = Complaints::default();
        assert_eq!(logged(&complaints, "one", 100), [0, 60]);
        assert_eq!(logged(&complaints, "other", 50), [0]);
        complaints.works("one");
        assert_eq!(logged(&complaints, "one", 50), [0]);
        assert!(logged(&complaints, "other", 50).is_empty());
    }
}
