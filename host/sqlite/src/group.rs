//! The group of transactions that one commit makes durable.
//!
//! A group is an outer transaction on the writer connection; each member runs inside a savepoint of it.
//! This module owns both, and the outcome that all members are answered with. When a group is committed
//! is decided by `writer.rs`.

use super::connection::Opened;
use super::error::DatabaseError;
use super::turns::Turn;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;
use tokio::sync::watch;

/// The result of a group commit for its members; `None` until the outer commit has ended.
pub(super) type GroupOutcome = Option<Result<(), GroupFailure>>;

/// Why a group was rolled back, with all changes of its members.
#[derive(Clone, Debug)]
pub(super) enum GroupFailure {
    /// The disk or the database is full.
    Full(String),
    /// The outer commit failed.
    Commit(String),
    /// A failure in another member rolled back the whole group.
    OtherMember(String),
}

impl GroupFailure {
    /// For members of a group whose commit failed, and for the member whose own statement failed.
    pub(super) fn of_commit(error: &DatabaseError) -> Self {
        if error.is_full() {
            Self::Full(error.to_string())
        } else {
            Self::Commit(error.to_string())
        }
    }

    /// For members that were rolled back because of another member's failure.
    pub(super) fn of_member(error: &DatabaseError) -> Self {
        if error.is_full() {
            Self::Full(error.to_string())
        } else {
            Self::OtherMember(error.to_string())
        }
    }

    /// The error that a member receives.
    pub(super) fn error(&self) -> DatabaseError {
        match self.clone() {
            Self::Full(reason) => DatabaseError::Full(reason),
            Self::Commit(reason) => DatabaseError::CommitFailed(reason),
            Self::OtherMember(reason) => DatabaseError::GroupUndone(reason),
        }
    }
}

/// A write transaction, which is a member of the group until it has ended.
pub(super) struct Member {
    state: Mutex<MemberState>,
    pub(super) began_at: Instant,
}

pub(super) enum MemberState {
    Active(Turn),
    Expired,
    GroupFailed(GroupFailure),
    Ended,
}

impl Member {
    pub(super) fn new(turn: Turn) -> Arc<Self> {
        Arc::new(Self {
            state: Mutex::new(MemberState::Active(turn)),
            began_at: Instant::now(),
        })
    }

    pub(super) fn state(&self) -> MutexGuard<'_, MemberState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The state, unless a statement of the transaction runs.
    pub(super) fn try_state(&self) -> Option<MutexGuard<'_, MemberState>> {
        self.state.try_lock().ok()
    }
}

/// The writer connection and the open group; only the open transaction and the commit thread use them.
pub(super) struct Core {
    pub(super) opened: Opened,
    pub(super) group: Option<Group>,
}

/// The transactions that share the outer transaction now open.
pub(super) struct Group {
    pub(super) outcome: watch::Sender<GroupOutcome>,
    pub(super) members: usize,
    pub(super) opened_at: Instant,
}

impl Core {
    /// Sets the savepoint of a new member; begins the outer transaction if there is none.
    pub(super) fn begin_member(&mut self) -> rusqlite::Result<()> {
        let connection = &self.opened.connection;
        if self.group.is_none() {
            run(connection, "BEGIN IMMEDIATE")?;
            self.group = Some(Group {
                outcome: watch::Sender::new(None),
                members: 0,
                opened_at: Instant::now(),
            });
        }
        run(connection, "SAVEPOINT spindle_member")
    }

    /// Releases the savepoint and counts the transaction as a member of the group.
    pub(super) fn keep_member(
        &mut self,
    ) -> rusqlite::Result<Option<watch::Receiver<GroupOutcome>>> {
        run(&self.opened.connection, "RELEASE spindle_member")?;
        Ok(self.group.as_mut().map(|group| {
            group.members += 1;
            group.outcome.subscribe()
        }))
    }

    /// Rolls back to the savepoint; the other members of the group are unaffected.
    pub(super) fn undo_member(&mut self) {
        let connection = &self.opened.connection;
        let undone = run(connection, "ROLLBACK TO spindle_member")
            .and_then(|()| run(connection, "RELEASE spindle_member"));
        if let Err(error) = undone {
            self.abandon_group(GroupFailure::of_member(&error.into()));
        }
    }

    /// Some failures make SQLite roll back the whole outer transaction. Reports that to the members
    /// and returns whether it happened.
    pub(super) fn note_lost_group(&mut self, lost: &GroupFailure) -> bool {
        if self.group.is_some() && self.opened.connection.is_autocommit() {
            self.abandon_group(lost.clone());
            return true;
        }
        false
    }

    /// Rolls the outer transaction back and reports `lost` to all members.
    pub(super) fn abandon_group(&mut self, lost: GroupFailure) {
        if !self.opened.connection.is_autocommit() {
            let _ = run(&self.opened.connection, "ROLLBACK");
        }
        if let Some(group) = self.group.take() {
            group.outcome.send_replace(Some(Err(lost)));
        }
    }
}

/// Runs a statement without parameters and rows.
pub(super) fn run(connection: &rusqlite::Connection, sql: &str) -> rusqlite::Result<()> {
    connection.prepare_cached(sql)?.execute([]).map(|_| ())
}
