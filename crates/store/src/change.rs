//! Changes as closures over a transaction: how everything above this crate writes.
//!
//! Owns the kinds of a change: one that always emits ([`change`]), one that may find nothing
//! to do ([`change_if`]), one part of a change of many rows ([`change_part`]), and one that clients
//! never see ([`change_silently`]). Each begins the
//! transaction, runs the closure, appends the events and commits; an error undoes everything, and
//! any other result keeps what the closure wrote. A transaction that the database undoes because of
//! another one is run again, so the closure is a [`Fn`]: it reads what it needs through the transaction
//! and keeps nothing between two calls (docs/adr/0049-changes-that-run-again.md). Nothing in here may await.

use std::hash::{BuildHasher as _, RandomState};
use std::time::Duration;

use spindle_domain::RealmId;

use crate::{Connection, DbError, NewEvent, WriteTx};

/// What a change that clients see returns, with its events: at least one.
#[derive(Debug)]
pub struct Changed<T> {
    value: T,
    events: Vec<NewEvent>,
}

impl<T> Changed<T> {
    /// A change that emits `first`.
    pub fn new(value: T, first: NewEvent) -> Self {
        Self {
            value,
            events: vec![first],
        }
    }

    /// The same change, which emits these events after those it has.
    #[must_use]
    pub fn and(mut self, events: impl IntoIterator<Item = NewEvent>) -> Self {
        self.events.extend(events);
        self
    }
}

/// The outcome of a change that may find nothing to do.
#[derive(Debug)]
pub enum Outcome<T> {
    /// Something that clients see has changed.
    Changed(Changed<T>),
    /// Nothing that clients see has changed. What else was written is kept.
    Unchanged(T),
}

impl<T> Outcome<T> {
    /// Changed when there are events.
    pub fn new(value: T, events: impl IntoIterator<Item = NewEvent>) -> Self {
        let mut events = events.into_iter();
        match events.next() {
            Some(first) => Self::Changed(Changed::new(value, first).and(events)),
            None => Self::Unchanged(value),
        }
    }
}

/// Why clients never see a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SilentReason {
    /// Keys, passwords, sessions and permissions of the operator: clients are not shown them.
    Credentials,
    /// Event queues, and how far they were read: each concerns its own client alone.
    Queues,
    /// What bots keep for themselves.
    BotStorage,
    /// What apps are to be informed of, and their runs: clients see the effects.
    Apps,
    /// Calls and notifications to other services, which answer later.
    Calls,
    /// Files and uploads that are not in a message yet, or no longer.
    Files,
    /// What jobs note for themselves or clean up after its end was announced.
    Housekeeping,
    /// An organization without clients: it is being created, or it is deactivated.
    NoClients,
}

/// How often a change is run before its caller gets the conflict.
const MOST_RUNS: u32 = 12;

/// After this many runs, further ones keep out other changes with events: a long change that reads much would conflict
/// with one of many short ones every time.
const RUNS_BESIDE_OTHERS: u32 = 4;

/// Longest wait before the second run; before each later one it may be twice as long, up to [`LONGEST_WAIT`].
const FIRST_WAIT: Duration = Duration::from_millis(2);
const LONGEST_WAIT: Duration = Duration::from_millis(128);

/// Runs `attempt` in a transaction and commits; once more from the start for as long as the database
/// undoes the transaction because of another one, at most [`MOST_RUNS`] times.
fn run<'c, T, E: From<DbError>>(
    begin: impl Fn() -> Result<WriteTx<'c>, DbError>,
    attempt: impl Fn(&WriteTx<'_>) -> Result<T, E>,
) -> Result<T, E> {
    let mut runs = 0;
    loop {
        let tx = if runs == 0 {
            begin()?
        } else {
            std::thread::sleep(wait_before(runs));
            let tx = begin()?.line_up()?;
            if runs >= RUNS_BESIDE_OTHERS {
                tx.keep_others_out()?;
            }
            tx
        };
        runs += 1;
        let outcome = attempt(&tx).and_then(|value| {
            tx.commit()?;
            Ok(value)
        });
        // The conflict decides, not the error that the closure made of it.
        if outcome.is_ok() || !tx.is_conflicted() || runs == MOST_RUNS {
            return outcome;
        }
    }
}

/// A random delay before a repeated run, so that changes that conflicted once do not conflict again. A component waits
/// as a thread does: its instance serves no other request during the delay.
fn wait_before(run: u32) -> Duration {
    let longest = (FIRST_WAIT * 2_u32.pow(run - 1)).min(LONGEST_WAIT);
    // The standard library gives each of these a new seed.
    let random = (RandomState::new().hash_one(run) >> 32) as u32;
    longest.mul_f64(f64::from(random) / f64::from(u32::MAX))
}

/// Runs `work` in a transaction, writes its events to the log of `realm_id` at `now` (UNIX
/// seconds), and commits.
///
/// # Errors
/// Those of `work`, and [`DbError`] of the transaction; everything is then undone.
pub fn change<T, E: From<DbError>>(
    connection: &dyn Connection,
    realm_id: RealmId,
    now: i64,
    work: impl Fn(&WriteTx<'_>) -> Result<Changed<T>, E>,
) -> Result<T, E> {
    run(
        || WriteTx::begin(connection),
        |tx| {
            let changed = work(tx)?;
            tx.append(realm_id, now, changed.events)?;
            Ok(changed.value)
        },
    )
}

/// As [`change`], for a change that may find nothing to do.
///
/// # Errors
/// As [`change`].
pub fn change_if<T, E: From<DbError>>(
    connection: &dyn Connection,
    realm_id: RealmId,
    now: i64,
    work: impl Fn(&WriteTx<'_>) -> Result<Outcome<T>, E>,
) -> Result<T, E> {
    run(
        || WriteTx::begin(connection),
        emits_if_changed(realm_id, now, work),
    )
}

/// As [`change_if`], for a change that many users make concurrently. On PostgreSQL, two changes conflict when each
/// reads what the other one writes, even if that is another row on the same page of an index; this one conflicts over
/// rows alone. In return `work` begins by locking the rows that must be as it has read them until it is committed
/// (`channels::hold`), and a change of those rows waits (docs/adr/0053-locks-for-senders.md).
///
/// # Errors
/// As [`change`].
pub fn change_locked<T, E: From<DbError>>(
    connection: &dyn Connection,
    realm_id: RealmId,
    now: i64,
    work: impl Fn(&WriteTx<'_>) -> Result<Outcome<T>, E>,
) -> Result<T, E> {
    run(
        || WriteTx::begin_with_locks(connection),
        emits_if_changed(realm_id, now, work),
    )
}

/// As [`change_if`], for one part of a change of many rows (docs/adr/0029-changes-in-parts.md).
///
/// # Errors
/// As [`change`].
pub fn change_part<T, E: From<DbError>>(
    connection: &dyn Connection,
    realm_id: RealmId,
    now: i64,
    work: impl Fn(&WriteTx<'_>) -> Result<Outcome<T>, E>,
) -> Result<T, E> {
    run(
        || WriteTx::begin_part(connection),
        emits_if_changed(realm_id, now, work),
    )
}

fn emits_if_changed<T, E: From<DbError>>(
    realm_id: RealmId,
    now: i64,
    work: impl Fn(&WriteTx<'_>) -> Result<Outcome<T>, E>,
) -> impl Fn(&WriteTx<'_>) -> Result<T, E> {
    move |tx| {
        let (value, events) = match work(tx)? {
            Outcome::Changed(changed) => (changed.value, changed.events),
            Outcome::Unchanged(value) => (value, Vec::new()),
        };
        tx.append(realm_id, now, events)?;
        Ok(value)
    }
}

/// As [`change`], for a change that clients never see, for the reason that the caller names.
///
/// # Errors
/// As [`change`].
pub fn change_silently<T, E: From<DbError>>(
    connection: &dyn Connection,
    _why: SilentReason,
    work: impl Fn(&WriteTx<'_>) -> Result<T, E>,
) -> Result<T, E> {
    run(|| WriteTx::begin(connection), work)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;
    use crate::testing::TestDatabase;
    use crate::{COMMIT, Db, Query, Rows, Statement, Value, event_log, jobs};

    fn event() -> NewEvent {
        NewEvent {
            event_type: "heartbeat",
            body: "{}".to_owned(),
            audience: r#"{"realm":true}"#.to_owned(),
        }
    }

    /// A connection whose first commits are refused because of another transaction.
    struct Conflicting<'d> {
        db: crate::RusqliteDb<'d>,
        conflicts: Cell<u32>,
    }

    impl Db for Conflicting<'_> {
        fn dialect(&self) -> crate::Dialect {
            self.db.dialect()
        }

        fn query(&self, query: Query, params: &[Value]) -> Result<Rows, DbError> {
            self.db.query(query, params)
        }
    }

    impl Connection for Conflicting<'_> {
        fn execute(&self, statement: Statement, params: &[Value]) -> Result<Rows, DbError> {
            let left = self.conflicts.get();
            if statement.text() == COMMIT && left > 0 {
                self.conflicts.set(left - 1);
                return Err(DbError::Conflict("another was first".to_owned()));
            }
            self.db.execute(statement, params)
        }
    }

    /// The result of claiming a job after this many conflicts, how often the claim was run, and how many events there
    /// are afterwards.
    fn claim_after(conflicts: u32) -> (Result<bool, DbError>, u32, i64) {
        let database = TestDatabase::with_realm();
        let connection = Conflicting {
            db: database.db(),
            conflicts: Cell::new(conflicts),
        };
        let runs = Cell::new(0);
        let claimed = change(&connection, RealmId::ONLY, 5, |tx| {
            runs.set(runs.get() + 1);
            Ok(Changed::new(jobs::claim(tx, "a", 1, 60)?, event()))
        });
        (
            claimed,
            runs.get(),
            event_log::position(&connection).unwrap(),
        )
    }

    #[test]
    fn a_conflict_runs_the_change_again_from_a_fresh_state() {
        assert_eq!(claim_after(0), (Ok(true), 1, 1));
        // The claim succeeds each time: nothing of the earlier ones is there.
        assert_eq!(claim_after(MOST_RUNS - 1), (Ok(true), MOST_RUNS, 1));
        let (given_up, runs, events) = claim_after(MOST_RUNS);
        assert!(matches!(given_up, Err(DbError::Conflict(_))));
        assert_eq!((runs, events), (MOST_RUNS, 0));
    }

    #[test]
    fn waits_differ_and_are_bounded() {
        for run in 1..MOST_RUNS {
            let longest = FIRST_WAIT * 2_u32.pow(run - 1);
            assert!((0..100).all(|_| wait_before(run) <= longest));
        }
        let waits: std::collections::BTreeSet<_> = (0..20).map(|_| wait_before(3)).collect();
        assert!(waits.len() > 1);
    }

    #[test]
    fn other_errors_run_nothing_again() {
        let database = TestDatabase::with_realm();
        let runs = Cell::new(0);
        let failed = change_silently(&database.db(), SilentReason::Housekeeping, |_| {
            runs.set(runs.get() + 1);
            Err::<(), _>(DbError::NoRow)
        });
        assert_eq!((failed, runs.get()), (Err(DbError::NoRow), 1));
    }

    fn is_due(connection: &dyn Connection, name: &str) -> bool {
        change_silently(connection, SilentReason::Housekeeping, |tx| {
            jobs::claim(tx, name, 1, 60)
        })
        .unwrap()
    }

    #[test]
    fn events_are_committed_with_what_they_are_about() {
        let database = TestDatabase::with_realm();
        let db = database.db();
        let claimed = change(&db, RealmId::ONLY, 5, |tx| {
            Ok::<_, DbError>(Changed::new(jobs::claim(tx, "a", 1, 60)?, event()).and([event()]))
        });
        assert_eq!(claimed, Ok(true));
        assert_eq!(event_log::position(&db), Ok(2));
        assert!(!is_due(&db, "a"));
    }

    #[test]
    fn a_change_that_clients_do_not_see_is_kept_all_the_same() {
        let database = TestDatabase::with_realm();
        let db = database.db();
        let claimed = change_if(&db, RealmId::ONLY, 5, |tx| {
            Ok::<_, DbError>(Outcome::new(jobs::claim(tx, "a", 1, 60)?, []))
        });
        assert_eq!(claimed, Ok(true));
        assert!(!is_due(&db, "a"));
        assert_eq!(event_log::position(&db), Ok(0));
        let seen = change_if(&db, RealmId::ONLY, 5, |_| {
            Ok::<_, DbError>(Outcome::new(7, [event()]))
        });
        assert_eq!((seen, event_log::position(&db)), (Ok(7), Ok(1)));
    }

    #[test]
    fn an_error_undoes_everything() {
        let database = TestDatabase::with_realm();
        let db = database.db();
        let failed = change_silently(&db, SilentReason::Housekeeping, |tx| {
            jobs::claim(tx, "a", 1, 60)?;
            Err::<(), _>(DbError::NoRow)
        });
        assert_eq!(failed, Err(DbError::NoRow));
        let failed = change(&db, RealmId::ONLY, 5, |tx| {
            jobs::claim(tx, "a", 1, 60)?;
            Err::<Changed<()>, _>(DbError::NoRow)
        });
        assert_eq!(failed, Err(DbError::NoRow));
        assert!(is_due(&db, "a"));
    }
}
