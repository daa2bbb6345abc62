//! `realm_export` and `realm_export_consent`: exports of the organization, and users' consent to the
//! export of their private data.

use serde_json::{Value, json};
use spindle_domain::UserId;

use crate::event::record;
use crate::{Audience, Event};

/// All exports, after one was requested or has changed. See docs/protocol/exports.md#record.
#[must_use]
pub fn realm_export(exports: Value, audience: Audience) -> Event {
    Event::new("realm_export", record([("exports", exports)]), audience)
}

/// A user has given or withdrawn consent. See docs/protocol/exports.md#get_export_consents.
#[must_use]
pub fn realm_export_consent(user_id: UserId, consented: bool, audience: Audience) -> Event {
    let body = record([("user_id", json!(user_id)), ("consented", json!(consented))]);
    Event::new("realm_export_consent", body, audience)
}
