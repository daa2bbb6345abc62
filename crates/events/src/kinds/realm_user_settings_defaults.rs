//! `realm_user_settings_defaults`: a default setting for new users has changed.

use serde_json::{Value, json};

use crate::event::record;
use crate::{Audience, Event};

/// One setting of docs/protocol/settings.md#user-settings. See
/// docs/protocol/settings.md#update_realm_user_settings_defaults.
#[must_use]
pub fn realm_user_settings_defaults_update(property: &str, value: Value) -> Event {
    let body = record([
        ("op", json!("update")),
        ("property", json!(property)),
        ("value", value),
    ]);
    Event::new("realm_user_settings_defaults", body, Audience::realm())
}
