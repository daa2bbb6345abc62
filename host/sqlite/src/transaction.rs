//! One write transaction, from its savepoint to its end.
//!
//! It ends exactly once: by commit, by rollback, by its time limit, or by being dropped,
//! which happens when the instance of the guest that holds it ends.

use super::connection::Opened;
use super::error::DatabaseError;
use super::group::{GroupFailure, GroupOutcome, Member, MemberState};
use super::turns::Turn;
use super::writer::Writer;
use spindle_admission::memory::Client;
use spindle_system::clock::millis;
use std::sync::{Arc, PoisonError, Weak};
use std::time::{Duration, Instant};
use tokio::sync::{OwnedSemaphorePermit, watch};

/// A transaction that holds the writer lock for this long delays all other writers noticeably.
const LONG: Duration = Duration::from_millis(50);

/// An open write transaction: exclusive use of the writer connection until it ends or is dropped.
pub(super) struct WriteTransaction {
    writer: Arc<Writer>,
    member: Arc<Member>,
    /// Kept until its end by a transaction that takes long.
    _alone: Option<OwnedSemaphorePermit>,
}

/// A commit that waits for the flush of its group.
pub(super) struct Commit(watch::Receiver<GroupOutcome>);

impl Writer {
    /// Waits for the writer lock and begins a transaction in the current group. Those of a client wait for each
    /// other, and little for those of other clients; `None` is the server itself.
    pub(super) async fn begin(
        self: &Arc<Self>,
        client: Option<Client>,
    ) -> Result<WriteTransaction, DatabaseError> {
        let started = Instant::now();
        let turn = self.acquire(client).await?;
        self.begin_with(turn, None, started).await
    }

    /// As [`Writer::begin`], for a transaction that takes long: the open group is committed first, so
    /// that its members do not wait for this transaction. It enters the queue when the one before it of its kind has
    /// ended.
    pub(super) async fn begin_alone(
        self: &Arc<Self>,
        client: Option<Client>,
    ) -> Result<WriteTransaction, DatabaseError> {
        let started = Instant::now();
        let alone = Arc::clone(&self.alone).acquire_owned();
        let alone = self.within_limit(alone).await?;
        let alone = alone.map_err(|_| DatabaseError::Refused("the database is closing"))?;
        let turn = self.acquire(client).await?;
        if self.core().group.is_some() {
            self.close_group().await?;
        }
        self.begin_with(turn, Some(alone), started).await
    }

    async fn begin_with(
        self: &Arc<Self>,
        turn: Turn,
        alone: Option<OwnedSemaphorePermit>,
        started: Instant,
    ) -> Result<WriteTransaction, DatabaseError> {
        let turn = self.open_group(turn, started).await?;
        let member = Member::new(turn);
        self.statistics.waited(started.elapsed());
        let mut current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        *current = Arc::downgrade(&member);
        Ok(WriteTransaction {
            writer: Arc::clone(self),
            member,
            _alone: alone,
        })
    }
}

impl WriteTransaction {
    /// Runs `f` on the writer connection, inside this transaction.
    ///
    /// # Errors
    ///
    /// `TransactionExpired` or `CommitFailed` when the transaction no longer exists.
    pub(super) fn with<T>(
        &self,
        f: impl FnOnce(&Opened) -> Result<T, DatabaseError>,
    ) -> Result<T, DatabaseError> {
        let mut state = self.member.state();
        self.check(&state)?;
        let mut core = self.writer.core();
        let outcome = f(&core.opened);
        if let Err(error) = &outcome {
            if core.note_lost_group(&GroupFailure::of_member(error)) {
                // The other members may retry; this transaction caused the failure.
                *state = MemberState::GroupFailed(GroupFailure::of_commit(error));
            }
            drop(core);
            self.writer.note_failure(error);
        }
        outcome
    }

    /// Releases the savepoint. The changes are durable once the returned [`Commit`] resolves.
    pub(super) fn commit(self) -> Result<Commit, DatabaseError> {
        let mut state = self.member.state();
        self.check(&state)?;
        let kept = self.writer.core().keep_member();
        match kept {
            Ok(Some(outcome)) => {
                end(&self.writer, &self.member, &mut state, MemberState::Ended);
                Ok(Commit(outcome))
            }
            Ok(None) => Err(DatabaseError::CommitFailed(
                "the commit group no longer exists".to_owned(),
            )),
            Err(error) => {
                self.writer.core().undo_member();
                end(&self.writer, &self.member, &mut state, MemberState::Ended);
                let error = error.into();
                self.writer.note_failure(&error);
                Err(error)
            }
        }
    }

    fn check(&self, state: &MemberState) -> Result<(), DatabaseError> {
        match state {
            MemberState::Active(_) => Ok(()),
            MemberState::Expired => Err(DatabaseError::TransactionExpired(
                self.writer.options.transaction_limit,
            )),
            MemberState::GroupFailed(lost) => Err(lost.error()),
            MemberState::Ended => Err(DatabaseError::Refused("the transaction has ended")),
        }
    }

    /// Rolls the transaction back.
    pub(super) fn rollback(self) {
        drop(self);
    }
}

impl Drop for WriteTransaction {
    fn drop(&mut self) {
        let mut state = self.member.state();
        undo(&self.writer, &self.member, &mut state, MemberState::Ended);
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

/// Rolls a transaction back if it has been open for too long. Does nothing while one of its statements runs: a statement
/// has its own limit, and the caller must not block on it.
fn expire(writer: &Arc<Writer>, member: &Member) {
    let limit = writer.options.transaction_limit;
    if member.began_at.elapsed() <= limit {
        return;
    }
    let undone = match member.try_state() {
        Some(mut state) => undo(writer, member, &mut state, MemberState::Expired),
        None => false,
    };
    if undone {
        tracing::warn!(
            limit_ms = millis(limit),
            "a write transaction was rolled back: it took too long"
        );
        writer.statistics.transaction_expired();
    }
}

/// Rolls an active transaction back; false when it was not active.
fn undo(writer: &Arc<Writer>, member: &Member, state: &mut MemberState, next: MemberState) -> bool {
    if !matches!(*state, MemberState::Active(_)) {
        return false;
    }
    writer.core().undo_member();
    end(writer, member, state, next);
    true
}

fn end(writer: &Arc<Writer>, member: &Member, state: &mut MemberState, next: MemberState) {
    if let MemberState::Active(turn) = std::mem::replace(state, next) {
        let took = member.began_at.elapsed();
        if took >= LONG {
            tracing::debug!(duration_ms = millis(took), "a write transaction was long");
        }
        writer.finish(turn);
    }
}

/// Rolls back transactions that exceed their time limit and commits groups that were left open.
pub(super) async fn watch_over(writer: Weak<Writer>) {
    loop {
        tokio::time::sleep(Duration::from_millis(100)).await;
        let Some(writer) = writer.upgrade() else {
            return;
        };
        let current = {
            let current = writer
                .current
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            current.upgrade()
        };
        if let Some(member) = current {
            expire(&writer, &member);
        }
        writer.close_abandoned();
    }
}
