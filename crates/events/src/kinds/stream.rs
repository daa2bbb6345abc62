//! `stream`: channels were added, changed or removed from the audience's view.
//!
//! For queues with `archived_channels`, archiving is an update of `is_archived`; for others, archiving
//! removes the channel and unarchiving adds it again. An added channel includes the number of
//! subscribers; their ids follow in `subscription` `peer_add`.

use serde_json::{Value, json};
use spindle_domain::ChannelId;

use super::EventType;
use crate::event::{FACTS, Record, record};
use crate::source::Source;
use crate::traits::Traits;
use crate::{Audience, Event};

/// One changed property of a channel.
#[derive(Debug, Clone, PartialEq)]
pub struct StreamChange {
    pub stream_id: ChannelId,
    /// The name before the change.
    pub name: String,
    /// Wire name of the property.
    pub property: String,
    pub value: Value,
    /// Accompanying fields: `rendered_description` with `description`;
    /// `history_public_to_subscribers` and `is_web_public` with `invite_only`.
    pub extra: Record,
    /// Whether the channel is archived, and thus unknown to some clients.
    pub is_archived: bool,
}

/// The audience gains access to these channels. `streams`: channel objects as of this event. Queues without `archived_channels` do not receive archived ones.
#[must_use]
pub fn stream_create(streams: Vec<Record>, audience: Audience) -> Event {
    let body = record([("op", json!("create")), ("streams", json!(streams))]);
    Event::new("stream", body, audience)
}

/// The audience loses access to these channels.
#[must_use]
pub fn stream_delete(stream_ids: &[ChannelId], audience: Audience) -> Event {
    Event::new("stream", deleted(stream_ids), audience)
}

/// As [`stream_create`], for existing channels after a change of the audience's role. `are_archived`:
/// the channels are archived; queues without `archived_channels` receive nothing.
#[must_use]
pub fn stream_shown(streams: Vec<Record>, are_archived: bool, audience: Audience) -> Event {
    let mut event = stream_create(streams, audience);
    mark_archived(&mut event.body, are_archived);
    event
}

/// As [`stream_delete`], for channels that still exist, after a change of the audience's role.
#[must_use]
pub fn stream_hidden(stream_ids: &[ChannelId], are_archived: bool, audience: Audience) -> Event {
    let mut event = stream_delete(stream_ids, audience);
    mark_archived(&mut event.body, are_archived);
    event
}

fn mark_archived(body: &mut Record, are_archived: bool) {
    if are_archived {
        body.insert(FACTS.to_owned(), json!({"is_archived": true}));
    }
}

/// One property of a channel has changed.
#[must_use]
pub fn stream_update(change: StreamChange, audience: Audience) -> Event {
    let mut body = record([
        ("op", json!("update")),
        ("stream_id", json!(change.stream_id)),
        ("name", json!(change.name)),
        ("property", json!(change.property)),
        ("value", change.value),
        (FACTS, json!({"is_archived": change.is_archived})),
    ]);
    body.extend(change.extra);
    Event::new("stream", body, audience)
}

/// A channel was archived.
#[must_use]
pub fn stream_archived(stream_id: ChannelId, name: &str, audience: Audience) -> Event {
    let facts = json!({"archived": true});
    Event::new("stream", archive(stream_id, name, true, facts), audience)
}

/// A channel was unarchived. `stream` is its channel object.
#[must_use]
pub fn stream_unarchived(
    stream_id: ChannelId,
    name: &str,
    stream: Record,
    audience: Audience,
) -> Event {
    let facts = json!({"unarchived": stream});
    Event::new("stream", archive(stream_id, name, false, facts), audience)
}

fn archive(stream_id: ChannelId, name: &str, value: bool, facts: Value) -> Record {
    record([
        ("op", json!("update")),
        ("stream_id", json!(stream_id)),
        ("name", json!(name)),
        ("property", json!("is_archived")),
        ("value", json!(value)),
        (FACTS, facts),
    ])
}

fn deleted(stream_ids: &[ChannelId]) -> Record {
    let streams: Vec<Value> = stream_ids
        .iter()
        .map(|id| json!({"stream_id": id}))
        .collect();
    record([
        ("op", json!("delete")),
        ("stream_ids", json!(stream_ids)),
        ("streams", json!(streams)),
    ])
}

pub(super) const KIND: EventType = EventType {
    name: "stream",
    traits: Traits::ARCHIVED_CHANNELS,
    convert: Some(convert),
};

fn convert(mut source: Source<'_>) -> Vec<Record> {
    if source.has(Traits::ARCHIVED_CHANNELS) {
        return vec![source.body];
    }
    if source.fact_is_true("is_archived") {
        return Vec::new();
    }
    if source.fact_is_true("archived") {
        let id = source.body.get("stream_id").and_then(Value::as_i64);
        return id.map(|id| deleted(&[id.into()])).into_iter().collect();
    }
    if let Some(Value::Array(streams)) = source.body.get_mut("streams") {
        let sent = streams.len();
        streams.retain(|stream| stream.get("is_archived") != Some(&Value::Bool(true)));
        if streams.is_empty() && sent > 0 {
            return Vec::new();
        }
    }
    match source.facts.remove("unarchived") {
        Some(stream) => vec![record([
            ("op", json!("create")),
            ("streams", json!([stream])),
        ])],
        None => vec![source.body],
    }
}
