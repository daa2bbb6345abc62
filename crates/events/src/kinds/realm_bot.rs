//! `realm_bot`: data of a bot for its owner and administrators, in addition to its account.
//!
//! The small object since feature level 474: name, address, avatar and owner are in `realm_user`; a new
//! address is also sent here, as the specification requires. Events never contain keys.

use serde_json::{Value, json};
use spindle_domain::UserId;

use crate::event::{Record, record};
use crate::{Audience, Event};

/// The audience gains access to the bot. See docs/protocol/bots.md#create_bot.
#[must_use]
pub fn realm_bot_add(bot: Record, audience: Audience) -> Event {
    let body = record([("op", json!("add")), ("bot", Value::Object(bot))]);
    Event::new("realm_bot", body, audience)
}

/// `changed` holds the changed fields of the object. See docs/protocol/bots.md#update_bot.
#[must_use]
pub fn realm_bot_update(bot_id: UserId, changed: Record, audience: Audience) -> Event {
    let mut bot = record([("user_id", json!(bot_id))]);
    bot.extend(changed);
    let body = record([("op", json!("update")), ("bot", Value::Object(bot))]);
    Event::new("realm_bot", body, audience)
}

/// The bot was deactivated, or the audience has lost access to it.
#[must_use]
pub fn realm_bot_delete(bot_id: UserId, audience: Audience) -> Event {
    let body = record([("op", json!("delete")), ("bot", json!({"user_id": bot_id}))]);
    Event::new("realm_bot", body, audience)
}
