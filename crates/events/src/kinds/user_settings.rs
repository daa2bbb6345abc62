//! `user_settings`: a personal setting has changed.

use serde_json::{Value, json};
use spindle_domain::UserId;

use crate::event::record;
use crate::{Audience, Event};

/// One setting of docs/protocol/settings.md#user-settings. `language_name` goes with
/// `default_language`. See docs/protocol/settings.md#update_settings.
#[must_use]
pub fn user_settings_update(
    user_id: UserId,
    property: &str,
    value: Value,
    language_name: Option<&str>,
) -> Event {
    let mut body = record([
        ("op", json!("update")),
        ("property", json!(property)),
        ("value", value),
    ]);
    if let Some(name) = language_name {
        body.insert("language_name".into(), json!(name));
    }
    Event::new("user_settings", body, Audience::user(user_id))
}
