//! `realm_playgrounds`: the list of playgrounds has changed. Always the whole list.

use serde_json::Value;

use crate::event::record;
use crate::{Audience, Event};

/// `records` is the list of playground records by id (docs/protocol/register.md#sections,
/// docs/protocol/events.md#realm_playgrounds).
#[must_use]
pub fn realm_playgrounds(records: Value) -> Event {
    let body = record([("realm_playgrounds", records)]);
    Event::new("realm_playgrounds", body, Audience::realm())
}
