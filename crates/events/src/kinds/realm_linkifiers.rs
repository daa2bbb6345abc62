//! `realm_linkifiers`: the list of linkifiers has changed. Always the whole list, and only to
//! queues whose client understands URL templates (docs/protocol/events.md#capabilities).

use serde_json::Value;

use super::EventType;
use crate::event::{Record, record};
use crate::source::Source;
use crate::traits::Traits;
use crate::{Audience, Event};

/// `records` is the list of linkifier records in order (docs/protocol/linkifiers.md#add_linkifier,
/// docs/protocol/events.md#realm_linkifiers).
#[must_use]
pub fn realm_linkifiers(records: Value, audience: Audience) -> Event {
    let body = record([("realm_linkifiers", records)]);
    Event::new("realm_linkifiers", body, audience)
}

pub(super) const KIND: EventType = EventType {
    name: "realm_linkifiers",
    traits: Traits::LINKIFIER_TEMPLATE,
    convert: Some(convert),
};

fn convert(source: Source<'_>) -> Vec<Record> {
    if source.has(Traits::LINKIFIER_TEMPLATE) {
        vec![source.body]
    } else {
        Vec::new()
    }
}
