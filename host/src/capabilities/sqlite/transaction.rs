//! One write transaction, from its savepoint to its end.
//!
//! It ends exactly once: by commit, by rollback, by its time limit, or by being dropped,
//! which happens when the instance of the guest that holds it ends.

use super::connection::Opened;
use super::error::DatabaseError;
use super::group::{GroupFailure, GroupOutcome};
use super::turns::Turn;
use super::writer::Writer;
use crate::clock::millis;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::{OwnedSemaphorePermit, watch};

/// A transaction that holds the writer lock for this long delays all other writers noticeably.
const LONG: Duration = Duration::from_millis(50);

/// An open write transaction: exclusive use of the writer connection until it ends or is dropped.
pub(super) struct WriteTransaction(pub(super) Arc<TransactionInner>);

pub(super) struct TransactionInner {
    writer: Arc<Writer>,
    state: Mutex<State>,
    began_at: Instant,
    /// Kept until its end by a transaction that takes long.
    _alone: Option<OwnedSemaphorePermit>,
}

enum State {
    Active(Turn),
    Expired,
    GroupFailed(GroupFailure),
    Ended,
}

/// A commit that waits for the flush of its group.
pub(super) struct Commit(watch::Receiver<GroupOutcome>);

impl WriteTransaction {
    pub(super) fn new(
        writer: &Arc<Writer>,
        turn: Turn,
        alone: Option<OwnedSemaphorePermit>,
    ) -> Self {
        Self(Arc::new(TransactionInner {
            writer: Arc::clone(writer),
            state: Mutex::new(State::Active(turn)),
            began_at: Instant::now(),
            _alone: alone,
        }))
    }

    /// Runs `f` on the writer connection, inside this transaction.
    ///
    /// # Errors
    ///
    /// `TransactionExpired` or `CommitFailed` when the transaction no longer exists.
    pub(super) fn with<T>(
        &self,
        f: impl FnOnce(&Opened) -> Result<T, DatabaseError>,
    ) -> Result<T, DatabaseError> {
        let mut state = self.0.state();
        self.0.check(&state)?;
        let mut core = self.0.writer.core();
        let outcome = f(&core.opened);
        if let Err(error) = &outcome {
            if core.note_lost_group(&GroupFailure::of_member(error)) {
                // The other members may retry; this transaction caused the failure.
                *state = State::GroupFailed(GroupFailure::of_commit(error));
            }
            drop(core);
            self.0.writer.note_failure(error);
        }
        outcome
    }

    /// Releases the savepoint. The changes are durable once the returned [`Commit`] resolves.
    pub(super) fn commit(self) -> Result<Commit, DatabaseError> {
        let mut state = self.0.state();
        self.0.check(&state)?;
        let kept = self.0.writer.core().keep_member();
        match kept {
            Ok(Some(outcome)) => {
                self.0.end(&mut state, State::Ended);
                Ok(Commit(outcome))
            }
            Ok(None) => Err(DatabaseError::CommitFailed(
                "the commit group no longer exists".to_owned(),
            )),
            Err(error) => {
                self.0.writer.core().undo_member();
                self.0.end(&mut state, State::Ended);
                let error = error.into();
                self.0.writer.note_failure(&error);
                Err(error)
            }
        }
    }

    /// Rolls the transaction back.
    pub(super) fn rollback(self) {
        drop(self);
    }
}

impl Drop for WriteTransaction {
    fn drop(&mut self) {
        let mut state = self.0.state();
        self.0.undo(&mut state, State::Ended);
    }
}

impl Commit {
    /// Waits until the group is flushed to disk.
    ///
    /// # Errors
    ///
    /// `CommitFailed`, `GroupUndone` and `Full`: nothing of the transaction is stored.
    pub(super) async fn durable(mut self) -> Result<(), DatabaseError> {
        let outcome = self.0.wait_for(Option::is_some).await;
        match outcome.as_deref() {
            Ok(Some(Ok(()))) => Ok(()),
            Ok(Some(Err(lost))) => Err(lost.error()),
            _ => Err(DatabaseError::CommitFailed(
                "the writer has stopped".to_owned(),
            )),
        }
    }
}

impl TransactionInner {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn check(&self, state: &State) -> Result<(), DatabaseError> {
        match state {
            State::Active(_) => Ok(()),
            State::Expired => Err(DatabaseError::TransactionExpired(
                self.writer.options.transaction_limit,
            )),
            State::GroupFailed(lost) => Err(lost.error()),
            State::Ended => Err(DatabaseError::Refused("the transaction has ended")),
        }
    }

    /// Rolls the transaction back if it has been open longer than `limit`. Does nothing while one
    /// of its statements runs: a statement has its own limit, and the caller must not block on it.
    pub(super) fn expire_after(&self, limit: Duration) {
        if self.began_at.elapsed() <= limit {
            return;
        }
        let undone = match self.state.try_lock() {
            Ok(mut state) => self.undo(&mut state, State::Expired),
            Err(_) => false,
        };
        if undone {
            tracing::warn!(
                limit_ms = millis(limit),
                "a write transaction was rolled back: it took too long"
            );
            self.writer.statistics.transaction_expired();
        }
    }

    /// Rolls an active transaction back; false when it was not active.
    fn undo(&self, state: &mut State, next: State) -> bool {
        if !matches!(*state, State::Active(_)) {
            return false;
        }
        self.writer.core().undo_member();
        self.end(state, next);
        true
    }

    fn end(&self, state: &mut State, next: State) {
        if let State::Active(turn) = std::mem::replace(state, next) {
            let took = self.began_at.elapsed();
            if took >= LONG {
                tracing::debug!(duration_ms = millis(took), "a write transaction was long");
            }
            self.writer.finish(turn);
        }
    }
}
