//! `realm_emoji`: custom emoji of the organization.
//!
//! Queues without the capability `individual_emoji_changes` receive the whole table with every change.
//! Queues with it receive a change of one emoji as `edit`, the name in the specification, and as
//! `update_one`, the name in existing clients: both have the same content, and a client ignores the one
//! it does not know. The only possible change deactivates the emoji, so `remove`, also named by the
//! specification, follows; the emoji's record stays, because messages show it.

use serde_json::{Value, json};

use super::EventType;
use crate::event::{FACTS, Record, record};
use crate::source::Source;
use crate::traits::Traits;
use crate::{Audience, Event};

/// An emoji was added. `emoji` is its record, `table` all records by id, the new one included.
#[must_use]
pub fn realm_emoji_add(emoji: Record, table: Record, audience: Audience) -> Event {
    let body = record([
        ("op", json!("add")),
        ("emoji", emoji.into()),
        (FACTS, json!({"table": table})),
    ]);
    Event::new("realm_emoji", body, audience)
}

/// An emoji was deactivated. `emoji_id` is the key in `table`, all records after the change.
#[must_use]
pub fn realm_emoji_deactivated(emoji_id: &str, table: Record, audience: Audience) -> Event {
    let body = record([
        ("op", json!("update_one")),
        ("emoji_id", json!(emoji_id)),
        ("data", json!({"deactivated": true})),
        (FACTS, json!({"table": table, "removes": true})),
    ]);
    Event::new("realm_emoji", body, audience)
}

pub(super) const KIND: EventType = EventType {
    name: "realm_emoji",
    traits: Traits::INDIVIDUAL_EMOJI,
    convert: Some(convert),
};

fn convert(mut source: Source<'_>) -> Vec<Record> {
    if !source.has(Traits::INDIVIDUAL_EMOJI) {
        let table = source.facts.remove("table").unwrap_or_default();
        let whole = [("op", json!("update")), ("realm_emoji", table)];
        return vec![record(whole)];
    }
    if source.body.get("op").and_then(Value::as_str) != Some("update_one") {
        return vec![source.body];
    }
    let emoji_id = source.body.get("emoji_id").cloned().unwrap_or_default();
    let mut edit = source.body.clone();
    edit.insert("op".to_owned(), json!("edit"));
    let mut events = vec![edit, source.body];
    // Rows of older releases are still converted as before, because the ids of a queue's events count
    // the converted events.
    if source.facts.contains_key("removes") {
        events.push(record([("op", json!("remove")), ("emoji_id", emoji_id)]));
    }
    events
}
