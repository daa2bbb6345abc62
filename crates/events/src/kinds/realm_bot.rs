//! `realm_bot`: what the owner of a bot and administrators know of it beyond its account.
//!
//! The small object since feature level 474: name, address, avatar and owner are told by
//! `realm_user`; a new address is told here as well, because the specification says so. Keys
//! are never in an event.

use serde_json::{Value, json};

use crate::event::{Record, record};
use crate::{Audience, Event};

/// The audience sees the bot from now on. Specification: POST /bots.
#[must_use]
pub fn realm_bot_add(bot: Record, audience: Audience) -> Event {
    let body = record([("op", json!("add")), ("bot", Value::Object(bot))]);
    Event::new("realm_bot", body, audience)
}

/// `changed` holds what has changed, under the names of the object. Specification: PATCH
/// /bots/{bot_id}.
#[must_use]
pub fn realm_bot_update(bot_id: i64, changed: Record, audience: Audience) -> Event {
    let mut bot = record([("user_id", json!(bot_id))]);
    bot.extend(changed);
    let body = record([("op", json!("update")), ("bot", Value::Object(bot))]);
    Event::new("realm_bot", body, audience)
}

/// The bot is deactivated, or no longer the audience's.
#[must_use]
pub fn realm_bot_delete(bot_id: i64, audience: Audience) -> Event {
    let body = record([("op", json!("delete")), ("bot", json!({"user_id": bot_id}))]);
    Event::new("realm_bot", body, audience)
}
