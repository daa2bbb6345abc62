//! `muted_users`: the list of users muted by a user has changed.

use serde_json::{Value, json};

use crate::event::record;
use crate::{Audience, Event};

/// The whole list after a change: objects of `id` and `timestamp`. Specification: POST and
/// DELETE /users/me/muted_users/{muted_user_id}; protocol-facts 3.6.
#[must_use]
pub fn muted_users(user_id: i64, muted_users: Value) -> Event {
    let body = record([("muted_users", json!(muted_users))]);
    Event::new("muted_users", body, Audience::user(user_id))
}
