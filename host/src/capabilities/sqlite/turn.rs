//! One transaction's turn at the writer, from its savepoint to its end.
//!
//! A turn ends exactly once: by commit, by rollback, by the time limit, or by
//! being dropped, which is what happens when the guest that held it dies.

use super::connection::Opened;
use super::error::DatabaseError;
use super::writer::{Lost, Outcome, Writer};
use crate::clock::millis;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::{OwnedSemaphorePermit, watch};

/// The right to use the writer connection, until it is ended or dropped.
pub(super) struct Turn(pub(super) Arc<TurnInner>);

pub(super) struct TurnInner {
    writer: Arc<Writer>,
    state: Mutex<State>,
    began_at: Instant,
}

enum State {
    Active(OwnedSemaphorePermit),
    Expired,
    Lost(Lost),
    Ended,
}

/// The durable end of a transaction, still to be awaited.
pub(super) struct Commit(watch::Receiver<Outcome>);

impl Turn {
    pub(super) fn new(writer: &Arc<Writer>, permit: OwnedSemaphorePermit) -> Self {
        Self(Arc::new(TurnInner {
            writer: Arc::clone(writer),
            state: Mutex::new(State::Active(permit)),
            began_at: Instant::now(),
        }))
    }

    /// Runs `f` on the writer connection, inside this transaction.
    ///
    /// # Errors
    ///
    /// `TurnExpired` or `CommitFailed` when the transaction no longer exists.
    pub(super) fn with<T>(
        &self,
        f: impl FnOnce(&Opened) -> Result<T, DatabaseError>,
    ) -> Result<T, DatabaseError> {
        let mut state = self.0.state();
        self.0.check(&state)?;
        let mut core = self.0.writer.core();
        let outcome = f(&core.opened);
        if let Err(error) = &outcome {
            if core.lost_group(&Lost::of_member(error)) {
                // The others may try again; this transaction is the one that failed.
                *state = State::Lost(Lost::of_commit(error));
            }
            drop(core);
            self.0.writer.note_failure(error);
        }
        outcome
    }

    /// Ends the transaction by keeping it; await the result for durability.
    pub(super) fn commit(self) -> Result<Commit, DatabaseError> {
        let mut state = self.0.state();
        self.0.check(&state)?;
        let kept = self.0.writer.core().keep_member();
        match kept {
            Ok(Some(outcome)) => {
                self.0.end(&mut state, State::Ended);
                Ok(Commit(outcome))
            }
            Ok(None) => Err(DatabaseError::CommitFailed("the group is gone".to_owned())),
            Err(error) => {
                self.0.writer.core().undo_member();
                self.0.end(&mut state, State::Ended);
                let error = error.into();
                self.0.writer.note_failure(&error);
                Err(error)
            }
        }
    }

    /// Ends the transaction by undoing it.
    pub(super) fn rollback(self) {
        drop(self);
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let mut state = self.0.state();
        self.0.undo(&mut state, State::Ended);
    }
}

impl Commit {
    /// Waits until the group is durable.
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

impl TurnInner {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn check(&self, state: &State) -> Result<(), DatabaseError> {
        match state {
            State::Active(_) => Ok(()),
            State::Expired => Err(DatabaseError::TurnExpired(self.writer.options.turn_limit)),
            State::Lost(lost) => Err(lost.error()),
            State::Ended => Err(DatabaseError::Refused("the transaction has ended")),
        }
    }

    /// Rolls the turn back if it has lasted longer than `limit`. While one of
    /// its statements runs nothing happens: that has a limit of its own, and
    /// the caller must not wait for it.
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
            self.writer.statistics.turn_expired();
        }
    }

    /// Undoes an active turn; false when there was nothing to undo.
    fn undo(&self, state: &mut State, next: State) -> bool {
        if !matches!(*state, State::Active(_)) {
            return false;
        }
        self.writer.core().undo_member();
        self.end(state, next);
        true
    }

    fn end(&self, state: &mut State, next: State) {
        if let State::Active(permit) = std::mem::replace(state, next) {
            self.writer.finish(permit);
        }
    }
}
