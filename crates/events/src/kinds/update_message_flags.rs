//! `update_message_flags`: personal marks on messages.

use serde_json::json;

use crate::event::record;
use crate::{Audience, Event};

/// Messages of one user have become read (protocol-facts 3.6).
#[must_use]
pub fn update_message_flags_read(user_id: i64, message_ids: &[i64]) -> Event {
    let body = record([
        ("op", json!("add")),
        ("operation", json!("add")),
        ("flag", json!("read")),
        ("messages", json!(message_ids)),
        ("all", json!(false)),
    ]);
    Event::new("update_message_flags", body, Audience::user(user_id))
}
