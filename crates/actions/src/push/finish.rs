//! The outcome of a call to the push service: a registration has ended, a notification was taken, or
//! the call is made again.

use serde_json::json;
use spindle_domain::{PushCallId, RealmId, UserId};
use spindle_events::{Audience, Event, Record, kinds};
use spindle_store::push_calls::{self, PushCallRow};
use spindle_store::push_service::PushServiceRow;
use spindle_store::{Connection, Outcome, WriteTx, push_recipients, push_service};

use super::answer::{self, Answer, Notification, Registration, Standing, Taken};
use super::configure::enabled_event;
use super::registered;
use crate::{ActionError, change};

/// The outcome of one attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FinishedPush {
    pub id: PushCallId,
    /// The number of the attempt; the outcome of one that was given up is ignored.
    pub attempt: i64,
    /// HTTP status; 0: there was no answer.
    pub status: i64,
    /// Body of the answer, or why there is none.
    pub body: String,
}

/// Records the outcome of an attempt at `now` (UNIX seconds). An outcome that comes too late or
/// twice changes nothing.
///
/// # Errors
/// [`ActionError::Store`] and [`ActionError::Internal`].
pub fn finish_push_call(
    db: &dyn Connection,
    realm_id: RealmId,
    now: i64,
    finished: &FinishedPush,
) -> Result<(), ActionError> {
    change::if_needed(db, realm_id, now, |tx| {
        let Some(service) = push_service::state(tx, realm_id)? else {
            return Ok(Outcome::Unchanged(()));
        };
        let Some(row) = push_calls::by_attempt(tx, finished.id, finished.attempt)? else {
            return Ok(Outcome::Unchanged(()));
        };
        let answer = Answer {
            status: finished.status,
            body: &finished.body,
            attempt: finished.attempt,
            age: now - row.created,
        };
        let events = if row.kind == "register" {
            register(tx, now, &row, &answer)?
        } else {
            notify(tx, realm_id, now, &row, &answer, &service)?
        };
        Ok(change::outcome((), events))
    })
}

fn register(
    tx: &WriteTx<'_>,
    now: i64,
    row: &PushCallRow,
    answer: &Answer<'_>,
) -> Result<Vec<Event>, ActionError> {
    let event = match answer::registration(&row.form, answer) {
        Registration::Active(device_id) => registered::succeed(tx, row, device_id)?,
        Registration::Failed(code) => registered::fail(tx, row, &code)?,
        Registration::Again(pause) => {
            push_calls::postpone(tx, row.id, now + pause)?;
            None
        }
    };
    Ok(event.into_iter().collect())
}

fn notify(
    tx: &WriteTx<'_>,
    realm_id: RealmId,
    now: i64,
    row: &PushCallRow,
    answer: &Answer<'_>,
    service: &PushServiceRow,
) -> Result<Vec<Event>, ActionError> {
    let mut events = Vec::new();
    let standing = match answer::notification(answer) {
        Notification::Again(pause) => {
            push_calls::postpone(tx, row.id, now + pause)?;
            return Ok(events);
        }
        Notification::Sent(taken) => {
            events.extend(forget_phones(tx, row.user_id, &taken)?);
            taken.realm_push_status
        }
        Notification::Lost => None,
        Notification::Disallowed => Some(Standing {
            can_push: false,
            expected_end_timestamp: None,
        }),
    };
    push_calls::delete(tx, row.id)?;
    if let Some(standing) = standing {
        events.extend(note_standing(tx, realm_id, service, standing)?);
    }
    Ok(events)
}

/// Phones that the service reports as gone are reached no more.
fn forget_phones(
    tx: &WriteTx<'_>,
    user_id: UserId,
    taken: &Taken,
) -> Result<Vec<Event>, ActionError> {
    let mut events = Vec::new();
    if !taken.delete_device_ids.is_empty() {
        let phones = json!(taken.delete_device_ids).to_string();
        push_recipients::forget_accounts(tx, user_id, &phones)?;
    }
    if !taken.delete_token_ids.is_empty() {
        let tokens = json!(taken.delete_token_ids).to_string();
        for device_id in push_recipients::forget_tokens(tx, user_id, &tokens)? {
            let mut changed = Record::new();
            changed.insert("push_token_id".into(), serde_json::Value::Null);
            events.push(kinds::device_update(user_id, device_id, changed));
        }
    }
    Ok(events)
}

/// Emits an event when it is another one than before.
fn note_standing(
    tx: &WriteTx<'_>,
    realm_id: RealmId,
    before: &PushServiceRow,
    standing: Standing,
) -> Result<Vec<Event>, ActionError> {
    let mut events = Vec::new();
    let end = standing.expected_end_timestamp;
    if standing.can_push != before.can_push {
        events.push(enabled_event(standing.can_push));
    }
    if end != before.end_timestamp {
        let property = "push_notifications_enabled_end_timestamp";
        events.push(kinds::realm_update(property, json!(end), Audience::realm()));
    }
    if !events.is_empty() {
        push_service::set_standing(tx, realm_id, standing.can_push, end)?;
    }
    Ok(events)
}
