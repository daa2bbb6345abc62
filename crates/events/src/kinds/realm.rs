//! `realm`: settings of the organization.

use serde_json::{Value, json};
use spindle_domain::RealmId;

use crate::event::{Record, record};
use crate::{Audience, Event};

/// One setting has changed; `property` is its name without the prefix `realm_`.
#[must_use]
pub fn realm_update(property: &str, value: Value, audience: Audience) -> Event {
    let body = record([
        ("op", json!("update")),
        ("property", json!(property)),
        ("value", value),
    ]);
    Event::new("realm", body, audience)
}

/// Settings that are sent together, by name without the prefix `realm_`: permission groups, edit limits,
/// the description with its HTML. `property` is `default`, or `icon`, `logo`, `night_logo`.
#[must_use]
pub fn realm_update_dict(property: &str, data: Record, audience: Audience) -> Event {
    let body = record([
        ("op", json!("update_dict")),
        ("property", json!(property)),
        ("data", data.into()),
    ]);
    Event::new("realm", body, audience)
}

/// The organization was deactivated.
#[must_use]
pub fn realm_deactivated(realm_id: RealmId, audience: Audience) -> Event {
    let body = record([("op", json!("deactivated")), ("realm_id", json!(realm_id))]);
    Event::new("realm", body, audience)
}
