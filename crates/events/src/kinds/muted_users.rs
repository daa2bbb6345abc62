//! `muted_users`: the list of users muted by a user has changed.

use serde_json::{Value, json};
use spindle_domain::UserId;

use crate::event::record;
use crate::{Audience, Event};

/// The whole list after a change: objects of `id` and `timestamp`. See
/// docs/protocol/personal.md#mute_user, docs/protocol/personal.md#unmute_user,
/// docs/protocol/events.md#muted_users.
#[must_use]
pub fn muted_users(user_id: UserId, muted_users: Value) -> Event {
    let body = record([("muted_users", json!(muted_users))]);
    Event::new("muted_users", body, Audience::user(user_id))
}
