//! Whether the bucket can be used: what the last requests said, for health checks, the metric and the log.
//!
//! Owns the line that is logged when it stops and when it works again, instead of one for each request. Nothing is
//! logged before the bucket is in use: a start that finds it unusable ends with that reason.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use super::failure::Operation;

/// A success this recent needs no further proof.
const RECENT: Duration = Duration::from_secs(5);

/// The condition of a bucket.
#[derive(Debug, Default)]
pub(super) struct Condition {
    state: Mutex<State>,
    /// What the examination that is under way holds.
    examination: Mutex<Weak<()>>,
}

#[derive(Debug, Default)]
struct State {
    is_in_use: bool,
    succeeded: Option<Instant>,
    failure: Option<(Operation, String)>,
}

/// Permission to find out the condition, until it is dropped.
pub(super) struct Examination {
    _held: Arc<()>,
}

impl Condition {
    /// From now on, changes are logged.
    pub(super) fn begin_use(&self) {
        self.lock().is_in_use = true;
    }

    /// A request has succeeded. That says nothing about other kinds of requests.
    pub(super) fn works(&self, operation: Operation) {
        let mut state = self.lock();
        state.succeeded = Some(Instant::now());
        if state
            .failure
            .as_ref()
            .is_some_and(|(failed, _)| *failed == operation)
        {
            state.failure = None;
            if state.is_in_use {
                tracing::info!("the bucket can be used again");
            }
        }
    }

    /// A request has failed, for this reason.
    pub(super) fn fails(&self, operation: Operation, reason: &str) {
        let mut state = self.lock();
        if state.is_in_use && state.failure.is_none() {
            tracing::error!(reason, "the bucket cannot be used");
        }
        state.failure = Some((operation, reason.to_owned()));
    }

    /// Why it cannot be used, as far as is known.
    pub(super) fn failure(&self) -> Option<String> {
        let state = self.lock();
        state.failure.as_ref().map(|(_, reason)| reason.clone())
    }

    /// Whether a request has succeeded a moment ago, and none has failed since.
    fn is_proven(&self) -> bool {
        let state = self.lock();
        let is_recent = |at: Instant| at.elapsed() < RECENT;
        state.failure.is_none() && state.succeeded.is_some_and(is_recent)
    }

    /// Permission to find out the condition; `None` when it is known, or another examination is under way.
    pub(super) fn begin_examination(&self) -> Option<Examination> {
        let examination = self.examination.lock();
        let mut examination = examination.unwrap_or_else(PoisonError::into_inner);
        if self.is_proven() || examination.strong_count() > 0 {
            return None;
        }
        let held = Arc::new(());
        *examination = Arc::downgrade(&held);
        Some(Examination { _held: held })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_request_of_a_kind_counts() {
        let condition = Condition::default();
        assert!(!condition.is_proven());
        assert_eq!(condition.failure(), None);
        condition.works(Operation::Read);
        assert!(condition.is_proven());
        condition.fails(Operation::Write, "gone");
        assert!(!condition.is_proven());
        assert_eq!(condition.failure().as_deref(), Some("gone"));
        condition.works(Operation::Read);
        assert_eq!(condition.failure().as_deref(), Some("gone"));
        condition.works(Operation::Write);
        assert_eq!(condition.failure(), None);
    }

    #[test]
    fn one_examination_is_made_at_a_time() {
        let condition = Condition::default();
        let examination = condition.begin_examination();
        assert!(examination.is_some());
        assert!(condition.begin_examination().is_none());
        drop(examination);
        assert!(condition.begin_examination().is_some());
        condition.fails(Operation::Read, "gone");
        assert!(condition.begin_examination().is_some());
    }
}
