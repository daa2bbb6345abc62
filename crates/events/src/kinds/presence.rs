//! `presence`: a user has come online. Stored once, sent in the legacy form or, to queues
//! with `simplified_presence_events`, in the modern one.

use serde_json::json;
use spindle_domain::UserId;

use super::EventType;
use crate::event::{FACTS, Record, record};
use crate::source::Source;
use crate::traits::Traits;
use crate::{Audience, Event};

/// The presence of one user. Times are UNIX seconds.
#[derive(Debug, Clone, PartialEq)]
pub struct Presence {
    pub user_id: UserId,
    /// API email.
    pub email: String,
    /// Seconds with fraction.
    pub server_timestamp: f64,
    /// Last use of a client.
    pub active_timestamp: i64,
    /// Last activity or idle report of a client.
    pub idle_timestamp: i64,
}

/// See docs/protocol/presence.md#update_presence, docs/protocol/presence.md#forms,
/// docs/protocol/events.md#presence.
#[must_use]
pub fn presence(presence: &Presence, audience: Audience) -> Event {
    let facts = json!({
        "email": presence.email,
        "server_timestamp": presence.server_timestamp,
        "user_id": presence.user_id,
    });
    let user_id = presence.user_id.to_string();
    let modern = json!({user_id: {
        "active_timestamp": presence.active_timestamp,
        "idle_timestamp": presence.idle_timestamp,
    }});
    let body = record([("presences", modern), (FACTS, facts)]);
    Event::new("presence", body, audience)
}

pub(super) const KIND: EventType = EventType {
    name: "presence",
    traits: Traits::SIMPLIFIED_PRESENCE.union(Traits::SLIM_PRESENCE),
    convert: Some(convert),
};

fn convert(source: Source<'_>) -> Vec<Record> {
    if source.has(Traits::SIMPLIFIED_PRESENCE) {
        return vec![source.body];
    }
    let slim = source.has(Traits::SLIM_PRESENCE);
    let time = |name: &str| {
        let presences = source.body.get("presences").and_then(|all| all.as_object());
        let times = presences.and_then(|all| all.values().next());
        times
            .and_then(|times| times.get(name)?.as_i64())
            .unwrap_or(0)
    };
    let (active, idle) = (time("active_timestamp"), time("idle_timestamp"));
    // Without any time, the user has disabled presence.
    let is_active = active >= idle && active > 0;
    let status = if is_active { "active" } else { "idle" };
    let website = json!({
        "client": "website",
        "status": status,
        "timestamp": active.max(idle),
        "pushable": false,
    });
    let mut body = source.facts;
    if slim {
        body.remove("email");
    }
    body.insert("presence".into(), json!({"website": website}));
    vec![body]
}
