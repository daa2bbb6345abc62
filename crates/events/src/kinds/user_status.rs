//! `user_status`: a user's status was set or cleared.

use serde_json::json;
use spindle_domain::UserId;

use crate::event::record;
use crate::{Audience, Event};

/// The changed parts of a status.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UserStatusChange {
    pub away: Option<bool>,
    /// Empty when cleared.
    pub status_text: Option<String>,
    pub emoji: Option<StatusEmoji>,
    /// When it expires, in UNIX seconds; `Some(None)` when the end was removed.
    pub scheduled_end_time: Option<Option<i64>>,
}

/// An emoji of a status; see [`StatusEmoji::cleared`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatusEmoji {
    pub emoji_name: String,
    pub emoji_code: String,
    pub reaction_type: String,
}

impl StatusEmoji {
    /// The value that is sent when the emoji was cleared (docs/protocol/presence.md#update_status).
    #[must_use]
    pub fn cleared() -> Self {
        Self {
            emoji_name: String::new(),
            emoji_code: String::new(),
            reaction_type: "unicode_emoji".to_owned(),
        }
    }

    /// Its name, its code, and the type of the code.
    #[must_use]
    pub fn parts(&self) -> (&str, &str, &str) {
        (&self.emoji_name, &self.emoji_code, &self.reaction_type)
    }
}

/// See docs/protocol/presence.md#update_status. `audience`: all who may see the user.
#[must_use]
pub fn user_status(user_id: UserId, change: UserStatusChange, audience: Audience) -> Event {
    let mut body = record([("user_id", json!(user_id))]);
    if let Some(away) = change.away {
        body.insert("away".into(), json!(away));
    }
    if let Some(text) = change.status_text {
        body.insert("status_text".into(), json!(text));
    }
    if let Some(emoji) = change.emoji {
        body.insert("emoji_name".into(), json!(emoji.emoji_name));
        body.insert("emoji_code".into(), json!(emoji.emoji_code));
        body.insert("reaction_type".into(), json!(emoji.reaction_type));
    }
    if let Some(end) = change.scheduled_end_time {
        body.insert("scheduled_end_time".into(), json!(end));
    }
    Event::new("user_status", body, audience)
}
