//! How every action writes: a closure over one transaction, committed with its events.
//!
//! Owns the calls that differ in their events, see [`spindle_store::change()`]: a change that
//! always emits, one that may find nothing to do, one part of a large one, and one without events; and the
//! way from events to rows of the log. A closure reads what it depends on through its transaction
//! and alters nothing outside of it, so that it can be run again from a fresh state.

use spindle_domain::RealmId;
use spindle_events::Event;
use spindle_store::{Changed, Connection, NewEvent, Outcome, SilentReason, WriteTx};

use crate::ActionError;

/// Makes a change that always emits at `now` (UNIX seconds).
///
/// # Errors
/// Those of `work`; everything is then undone.
pub(crate) fn emitting<T>(
    db: &dyn Connection,
    realm_id: RealmId,
    now: i64,
    work: impl Fn(&WriteTx<'_>) -> Result<Changed<T>, ActionError>,
) -> Result<T, ActionError> {
    spindle_store::change(db, realm_id, now, work)
}

/// Makes a change that may find nothing to do, at `now` (UNIX seconds).
///
/// # Errors
/// As [`emitting`].
pub(crate) fn if_needed<T>(
    db: &dyn Connection,
    realm_id: RealmId,
    now: i64,
    work: impl Fn(&WriteTx<'_>) -> Result<Outcome<T>, ActionError>,
) -> Result<T, ActionError> {
    spindle_store::change_if(db, realm_id, now, work)
}

/// As [`if_needed`], for a change that many users make concurrently and that locks the rows that it depends on.
///
/// # Errors
/// As [`emitting`].
pub(crate) fn locked_if_needed<T>(
    db: &dyn Connection,
    realm_id: RealmId,
    now: i64,
    work: impl Fn(&WriteTx<'_>) -> Result<Outcome<T>, ActionError>,
) -> Result<T, ActionError> {
    spindle_store::change_locked(db, realm_id, now, work)
}

/// Makes one part of a change of many rows, at `now` (UNIX seconds): as [`if_needed`], but the
/// transactions before it do not wait for it.
///
/// # Errors
/// As [`emitting`].
pub(crate) fn part<T>(
    db: &dyn Connection,
    realm_id: RealmId,
    now: i64,
    work: impl Fn(&WriteTx<'_>) -> Result<Outcome<T>, ActionError>,
) -> Result<T, ActionError> {
    spindle_store::change_part(db, realm_id, now, work)
}

/// Makes a change without events.
///
/// # Errors
/// As [`emitting`].
pub(crate) fn silently<T>(
    db: &dyn Connection,
    why: SilentReason,
    work: impl Fn(&WriteTx<'_>) -> Result<T, ActionError>,
) -> Result<T, ActionError> {
    spindle_store::change_silently(db, why, work)
}

/// What [`emitting`] returns, with its event.
pub(crate) fn made<T>(value: T, event: Event) -> Changed<T> {
    Changed::new(value, row(event))
}

/// As [`made`], for a change whose first step emits `first` and whose other steps may emit more.
pub(crate) fn made_before<T>(value: T, first: Event, later: Vec<Event>) -> Changed<T> {
    made(value, first).and(later.into_iter().map(row))
}

/// As [`made`], for a change whose earlier steps may have emitted and whose last one emits `last`.
pub(crate) fn made_after<T>(value: T, earlier: Vec<Event>, last: Event) -> Changed<T> {
    let mut earlier = earlier.into_iter();
    match earlier.next() {
        Some(first) => made(value, first).and(earlier.chain([last]).map(row)),
        None => made(value, last),
    }
}

/// As [`made`], for a change of several steps of which at least one has emitted, where types do not show
/// which.
///
/// # Errors
/// [`ActionError::Internal`] without any event: the change is wrong and is undone.
pub(crate) fn made_in_steps<T>(value: T, events: Vec<Event>) -> Result<Changed<T>, ActionError> {
    let mut rows = events.into_iter().map(row);
    let first = rows
        .next()
        .ok_or_else(|| ActionError::Internal("a change has emitted nothing".to_owned()))?;
    Ok(Changed::new(value, first).and(rows))
}

/// What [`if_needed`] returns: something has changed when there are events.
pub(crate) fn outcome<T>(value: T, events: impl IntoIterator<Item = Event>) -> Outcome<T> {
    Outcome::new(value, events.into_iter().map(row))
}

fn row(event: Event) -> NewEvent {
    let row = event.into_row();
    NewEvent {
        event_type: row.event_type,
        body: row.body,
        audience: row.audience,
    }
}
