//! `custom_profile_fields`: the fields of profiles have changed.
//!
//! Carries all of them in their order. Values of a field that is no longer listed are gone with
//! it; no event of their own tells so.

use serde_json::json;

use crate::event::{Record, record};
use crate::{Audience, Event};

/// Specification: POST /realm/profile_fields. `fields`: every field record, in order.
#[must_use]
pub fn custom_profile_fields(fields: Vec<Record>) -> Event {
    let body = record([("fields", json!(fields))]);
    Event::new("custom_profile_fields", body, Audience::realm())
}
