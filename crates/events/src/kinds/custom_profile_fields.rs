//! `custom_profile_fields`: the fields of profiles have changed.
//!
//! Contains all fields in their order. Values of a field that is no longer listed are deleted with it;
//! there is no separate event for them.

use serde_json::json;

use crate::event::{Record, record};
use crate::{Audience, Event};

/// See docs/protocol/profile-fields.md#create_profile_field. `fields`: every field record, in
/// order.
#[must_use]
pub fn custom_profile_fields(fields: Vec<Record>) -> Event {
    let body = record([("fields", json!(fields))]);
    Event::new("custom_profile_fields", body, Audience::realm())
}
