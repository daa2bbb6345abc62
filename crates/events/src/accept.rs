//! The events that a queue receives for a log row: filters by audience, types and narrow, then the
//! form for the queue's capabilities.
//!
//! Split in two so that a fan-out serializes once for all queues with the same form: [`select`] decides
//! and chooses the form, [`render`] builds it. Both are pure; see the crate's comment.

use serde_json::Value;

use crate::event::{FACTS, Record};
use crate::kinds::{self, EventType};
use crate::source::{Source, Variant};
use crate::traits::Traits;
use crate::{LogRow, Payload, Registration};

/// Counts the changes of this crate after which an existing row yields another number of events for an existing
/// registration. A queue is served with the version that it was registered with, or ends.
pub const ACCEPT_VERSION: i64 = 1;

/// The form in which the queue receives the row; `None` if it does not receive it.
#[must_use]
pub fn select(registration: &Registration, row: &LogRow) -> Option<Variant> {
    if let Some(is_due) = row.heartbeat_for(registration) {
        // It goes to queues of all types.
        return is_due.then(Variant::default);
    }
    if !registration.wants(row.event_type()) {
        return None;
    }
    let addressed = row.audience().includes(registration.user_id);
    let flag_group = addressed
        .then(|| row.audience().flag_group(registration.user_id))
        .flatten();
    let local = match row.message() {
        Some(message) => {
            if !addressed && !receives_public_channels(registration, row) {
                return None;
            }
            let flags = row.audience().flags(flag_group);
            if !registration.narrow.matches(message, flags) {
                return None;
            }
            message.is_local_to(registration)
        }
        None if addressed => false,
        None => return None,
    };
    let relevant = kinds::kind(row.event_type()).map_or(Traits::empty(), |kind| kind.traits);
    Some(Variant {
        traits: registration.traits() & relevant,
        flag_group,
        local,
    })
}

/// Messages of public channels reach queues of non-subscribers that asked for them.
fn receives_public_channels(registration: &Registration, row: &LogRow) -> bool {
    let asked = registration.all_public_streams || !registration.narrow.is_empty();
    asked && !registration.is_guest && row.audience().is_public_channel()
}

/// The events of a row in the given form; for old clients one row may become none or several.
#[must_use]
pub fn render(row: &LogRow, variant: Variant) -> Vec<Payload> {
    if row.is_heartbeat() {
        return vec![Payload::heartbeat()];
    }
    let convert = kinds::kind(row.event_type()).and_then(|kind: &EventType| kind.convert);
    if convert.is_none() && !row.body().contains(r#""facts""#) {
        return vec![Payload::splice(row.event_type(), row.body())];
    }
    // A body that is not an object was not written by this crate and is not delivered.
    let Ok(Value::Object(mut body)) = serde_json::from_str(row.body()) else {
        return Vec::new();
    };
    let facts = match body.remove(FACTS) {
        Some(Value::Object(facts)) => facts,
        _ => Record::new(),
    };
    let source = Source {
        body,
        facts,
        variant,
        flags: row.audience().flags(variant.flag_group),
    };
    let bodies = match convert {
        Some(convert) => convert(source),
        None => vec![source.body],
    };
    bodies
        .into_iter()
        .map(|body| Payload::splice(row.event_type(), &Value::Object(body).to_string()))
        .collect()
}

/// The events that the queue receives for the row, in order; the ids of a queue count these.
#[must_use]
pub fn accept(registration: &Registration, row: &LogRow) -> Vec<Payload> {
    select(registration, row).map_or_else(Vec::new, |variant| render(row, variant))
}
