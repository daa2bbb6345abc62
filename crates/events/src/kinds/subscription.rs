//! `subscription`: a user's own subscriptions, and the subscribers of channels.
//!
//! Queues without `archived_channels` do not know archived channels: they do not receive changes of
//! subscriptions in those, and receive their own subscription again when a channel is unarchived. The
//! removal of a deactivated account is sent for archived channels too
//! (docs/protocol/subscriptions.md#appearing).

use serde_json::{Value, json};
use spindle_domain::{ChannelId, UserId};

use super::EventType;
use crate::event::{FACTS, Record, record};
use crate::source::Source;
use crate::traits::Traits;
use crate::{Audience, Event};

/// Notification settings of a subscription that are null while the user's default applies.
const NULLABLE: [&str; 5] = [
    "audible_notifications",
    "desktop_notifications",
    "email_notifications",
    "push_notifications",
    "wildcard_mentions_notify",
];

/// The audience was subscribed; all its users must have equal records. `subscriptions` are the full
/// records with `subscribers`; `notification_defaults` holds the users' own defaults for the five
/// notification settings, by the name of the subscription's property.
/// See docs/protocol/subscriptions.md#add_subscriptions.
#[must_use]
pub fn subscription_add(
    audience: Audience,
    subscriptions: Vec<Record>,
    notification_defaults: Record,
) -> Event {
    let body = record([
        ("op", json!("add")),
        ("subscriptions", json!(subscriptions)),
        (
            FACTS,
            json!({"notification_defaults": notification_defaults}),
        ),
    ]);
    Event::new("subscription", body, audience)
}

/// The audience was unsubscribed from these channels: `(stream_id, name)`.
#[must_use]
pub fn subscription_remove(audience: Audience, channels: &[(ChannelId, String)]) -> Event {
    let channels: Vec<Value> = channels
        .iter()
        .map(|(id, name)| json!({"stream_id": id, "name": name}))
        .collect();
    let body = record([("op", json!("remove")), ("subscriptions", json!(channels))]);
    Event::new("subscription", body, audience)
}

/// A personal setting of a subscription has changed.
#[must_use]
pub fn subscription_update(
    user_id: UserId,
    stream_id: ChannelId,
    property: &str,
    value: Value,
) -> Event {
    let body = record([
        ("op", json!("update")),
        ("stream_id", json!(stream_id)),
        ("property", json!(property)),
        ("value", value),
    ]);
    Event::new("subscription", body, Audience::user(user_id))
}

/// Other users were subscribed. `audience`: users who may see the subscribers.
#[must_use]
pub fn subscription_peer_add(
    stream_ids: &[ChannelId],
    user_ids: &[UserId],
    audience: Audience,
) -> Event {
    peers("peer_add", stream_ids, user_ids, audience)
}

/// Other users were unsubscribed.
#[must_use]
pub fn subscription_peer_remove(
    stream_ids: &[ChannelId],
    user_ids: &[UserId],
    audience: Audience,
) -> Event {
    peers("peer_remove", stream_ids, user_ids, audience)
}

fn peers(op: &str, stream_ids: &[ChannelId], user_ids: &[UserId], audience: Audience) -> Event {
    let body = record([
        ("op", json!(op)),
        ("stream_ids", json!(stream_ids)),
        ("user_ids", json!(user_ids)),
    ]);
    Event::new("subscription", body, audience)
}

/// Sets which channels of an event are archived, so that queues without `archived_channels` do not
/// receive those.
#[must_use]
pub fn subscription_in_archived(
    mut event: Event,
    stream_ids: impl IntoIterator<Item = ChannelId>,
) -> Event {
    let archived: Vec<ChannelId> = stream_ids.into_iter().collect();
    if !archived.is_empty() {
        fact(&mut event, "archived", json!(archived));
    }
    event
}

/// Limits a [`subscription_add`] to queues without `archived_channels`: the subscriptions existed all the
/// time, but these queues did not know the channels.
#[must_use]
pub fn subscription_restored(mut event: Event) -> Event {
    fact(&mut event, "restored", json!(true));
    event
}

fn fact(event: &mut Event, name: &str, value: Value) {
    let facts = event.body.entry(FACTS).or_insert_with(|| json!({}));
    if let Some(facts) = facts.as_object_mut() {
        facts.insert(name.to_owned(), value);
    }
}

pub(super) const KIND: EventType = EventType {
    name: "subscription",
    traits: Traits::SUBSCRIBERS
        .union(Traits::NOTIFICATION_NULL)
        .union(Traits::ARCHIVED_CHANNELS),
    convert: Some(convert),
};

fn convert(mut source: Source<'_>) -> Vec<Record> {
    let is_told = if source.has(Traits::ARCHIVED_CHANNELS) {
        !source.fact_is_true("restored")
    } else {
        leave_archived_out(&mut source)
    };
    if !is_told {
        return Vec::new();
    }
    let subscribers = source.has(Traits::SUBSCRIBERS);
    let nulls = source.has(Traits::NOTIFICATION_NULL);
    let defaults = match source.facts.remove("notification_defaults") {
        Some(Value::Object(defaults)) if !nulls => defaults,
        _ => Record::new(),
    };
    if let Some(Value::Array(subscriptions)) = source.body.get_mut("subscriptions") {
        for subscription in subscriptions.iter_mut().filter_map(Value::as_object_mut) {
            if !subscribers {
                subscription.remove("subscribers");
            }
            for name in NULLABLE {
                if let (Some(value), Some(default)) =
                    (subscription.get_mut(name), defaults.get(name))
                    && value.is_null()
                {
                    *value = default.clone();
                }
            }
        }
    }
    vec![source.body]
}

/// Removes archived channels from the event; false when the event becomes empty.
fn leave_archived_out(source: &mut Source<'_>) -> bool {
    let Some(Value::Array(archived)) = source.facts.remove("archived") else {
        return true;
    };
    for list in ["stream_ids", "subscriptions"] {
        if let Some(Value::Array(channels)) = source.body.get_mut(list) {
            channels.retain(|channel| {
                let id = channel.get("stream_id").unwrap_or(channel);
                !archived.contains(id)
            });
            return !channels.is_empty();
        }
    }
    source
        .body
        .get("stream_id")
        .is_none_or(|id| !archived.contains(id))
}
