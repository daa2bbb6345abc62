//! `navigation_view`: a view of a user's sidebar was added, changed or removed.

use serde_json::{Value, json};
use spindle_domain::UserId;

use crate::event::{Record, record};
use crate::{Audience, Event};

/// A view as the register section shows it. See docs/protocol/personal.md#add_navigation_view.
#[must_use]
pub fn navigation_view_add(user_id: UserId, view: Record) -> Event {
    let body = record([
        ("op", json!("add")),
        ("navigation_view", Value::Object(view)),
    ]);
    Event::new("navigation_view", body, Audience::user(user_id))
}

/// `data` holds the changed ones of `name` and `is_pinned`.
#[must_use]
pub fn navigation_view_update(user_id: UserId, fragment: &str, data: Record) -> Event {
    let body = record([
        ("op", json!("update")),
        ("fragment", json!(fragment)),
        ("data", Value::Object(data)),
    ]);
    Event::new("navigation_view", body, Audience::user(user_id))
}

/// The view with this fragment was removed.
#[must_use]
pub fn navigation_view_remove(user_id: UserId, fragment: &str) -> Event {
    let body = record([("op", json!("remove")), ("fragment", json!(fragment))]);
    Event::new("navigation_view", body, Audience::user(user_id))
}
