//! Claims the next event of an app.

use sha2::{Digest as _, Sha256};
use spindle_domain::apps::{AppEvent, Entry, EventKind, Happening, Scope, limits};
use spindle_domain::{AppEventId, AppId, RealmId};
use spindle_store::apps::{self, AppRow, events, runs, schedules, values};
use spindle_store::{Connection, SilentReason, WriteTx, realms};

use crate::app_events::{Installed, note, person};
use crate::{ActionError, change};

/// Seconds after which another node may compute the event.
const CLAIM_SECS: i64 = 15;
/// Ticks that one claim turns into events.
const TICKS_AT_ONCE: i64 = 50;
/// Seconds until a tick is looked at again that the app has no right to.
const UNGRANTED_SECS: i64 = 600;
/// Events that one claim drops at most, because their right was taken back.
const DROPPED_AT_ONCE: usize = 50;

/// An event to be computed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaimedRun {
    pub app_id: AppId,
    pub name: String,
    /// SHA-256 of the component, hexadecimal.
    pub component_hash: String,
    /// Key of its blob.
    pub component_key: String,
    pub event: AppEvent,
    /// Of the event's scope.
    pub values: Vec<Entry>,
    pub(super) event_id: AppEventId,
    /// Attempts that have failed.
    pub(super) attempts: i64,
    pub(super) lease: i64,
    pub(super) version: i64,
}

/// Claims the event that is due longest at `now` (UNIX seconds) of an app that is not running.
///
/// # Errors
/// [`ActionError::Store`] and [`ActionError::Internal`].
pub fn claim_app_event(
    db: &dyn Connection,
    realm_id: RealmId,
    now: i64,
) -> Result<Option<ClaimedRun>, ActionError> {
    // Most claims find nothing, and need not wait for the write lock.
    let is_any_due = events::next(db, now, limits::CALLS_A_MINUTE)?.is_some()
        || !schedules::due(db, now, 1)?.is_empty();
    // In a deactivated organization everything waits.
    if !is_any_due || realms::by_id(db, realm_id)?.is_none_or(|realm| realm.deactivated) {
        return Ok(None);
    }
    change::silently(db, SilentReason::Apps, |tx| {
        note_ticks(tx, realm_id, now)?;
        for _ in 0..DROPPED_AT_ONCE {
            let Some(next) = events::next(tx, now, limits::CALLS_A_MINUTE)? else {
                return Ok(None);
            };
            let row = apps::by_id(tx, realm_id, next.app_id)?
                .ok_or_else(|| ActionError::Internal("an event without an app".to_owned()))?;
            if let Some(run) = begin(tx, now, &next, row)? {
                return Ok(Some(run));
            }
        }
        Ok(None)
    })
}

/// Keeps other nodes from computing a claimed event while its component is compiled; false when the claim is over.
///
/// # Errors
/// [`ActionError::Store`].
pub fn prolong_app_run(
    db: &dyn Connection,
    now: i64,
    run: &ClaimedRun,
) -> Result<bool, ActionError> {
    change::silently(db, SilentReason::Apps, |tx| {
        Ok(runs::prolong(tx, run.app_id, run.lease, now + CLAIM_SECS)?)
    })
}

/// Turns ticks that are due into events.
fn note_ticks(tx: &WriteTx<'_>, realm_id: RealmId, now: i64) -> Result<(), ActionError> {
    for tick in schedules::due(tx, now, TICKS_AT_ONCE)? {
        let Some(row) = apps::by_id(tx, realm_id, tick.app_id)? else {
            continue;
        };
        // A tick waits as long as too many other events do.
        if events::count(tx, tick.app_id)? >= limits::WAITING_EVENTS {
            continue;
        }
        let app = Installed::of(row)?;
        if !app.rights.events.contains(&EventKind::Tick) {
            // An app asks for the next tick when it gets this one, so it comes when the right is back.
            let place = (tick.scope.as_str(), tick.message_id);
            let later = now + UNGRANTED_SECS;
            schedules::set(tx, tick.app_id, place, &tick.name, later)?;
            continue;
        }
        schedules::delete(tx, tick.app_id, &tick.scope, &tick.name)?;
        let what = Happening::Tick { name: tick.name };
        note(tx, &app, now, scope(&tick.scope)?, tick.message_id, &what)?;
    }
    Ok(())
}

/// Begins a run; `None` when the event was dropped.
fn begin(
    tx: &WriteTx<'_>,
    now: i64,
    next: &events::AppEventRow,
    row: AppRow,
) -> Result<Option<ClaimedRun>, ActionError> {
    let app = Installed::of(row)?;
    let what: Happening = serde_json::from_str(&next.body)
        .map_err(|error| ActionError::Internal(error.to_string()))?;
    let is_granted = what
        .kind()
        .is_none_or(|kind: EventKind| app.rights.events.contains(&kind));
    let bot = app.bot(tx)?.filter(|_| is_granted);
    let Some(bot) = bot else {
        let later = now + UNGRANTED_SECS;
        keep_tick(tx, app.row.id, scope(&next.scope)?, &what, later)?;
        events::delete(tx, next.id, next.attempts)?;
        return Ok(None);
    };
    let Some(run) = runs::claim(tx, app.row.id, now, now + CLAIM_SECS)? else {
        return Err(ActionError::Internal("an app was claimed twice".to_owned()));
    };
    let entered: std::collections::BTreeMap<String, String> =
        serde_json::from_str(&app.row.settings)
            .map_err(|error| ActionError::Internal(error.to_string()))?;
    let entered: Vec<Entry> = entered
        .into_iter()
        .map(|(key, value)| Entry { key, value })
        .collect();
    let stored = values::of_scope(tx, app.row.id, &next.scope)?;
    let stored = stored.into_iter().map(|row| Entry {
        key: row.key,
        value: row.value,
    });
    let key = apps::webhook_key(tx, app.row.id)?.unwrap_or_default();
    Ok(Some(ClaimedRun {
        app_id: app.row.id,
        event: AppEvent {
            id: next.id.get(),
            time: next.created,
            seed: seed(&key, next.id),
            scope: scope(&next.scope)?,
            me: person(&bot),
            settings: app.manifest.setting_entries(&entered),
            what,
        },
        values: stored.collect(),
        name: app.manifest.name,
        component_hash: app.row.component_hash,
        component_key: app.row.component_key,
        event_id: next.id,
        attempts: next.attempts,
        lease: run.lease,
        version: run.version,
    }))
}

/// Has a tick come again, at `due` (UNIX seconds), whose event ends without the app.
pub(super) fn keep_tick(
    tx: &WriteTx<'_>,
    app_id: AppId,
    scope: Scope,
    what: &Happening,
    due: i64,
) -> Result<(), ActionError> {
    let Happening::Tick { name } = what else {
        return Ok(());
    };
    let message_id = match scope {
        Scope::Message(id) => Some(id),
        Scope::App | Scope::Channel(_) | Scope::Person(_) => None,
    };
    let place = (&*scope.to_string(), message_id);
    Ok(schedules::set(tx, app_id, place, name, due)?)
}

fn scope(text: &str) -> Result<Scope, ActionError> {
    text.parse()
        .map_err(|error| ActionError::Internal(format!("a stored scope: {error}")))
}

/// The same for each attempt at an event, and not to be guessed by people.
fn seed(key: &str, event_id: AppEventId) -> u64 {
    let digest = Sha256::digest(format!("{key} {event_id}").as_bytes());
    let mut bytes = [0; 8];
    bytes
        .iter_mut()
        .zip(digest)
        .for_each(|(to, from)| *to = from);
    u64::from_le_bytes(bytes)
}
