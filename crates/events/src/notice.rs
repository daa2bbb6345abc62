//! Log rows for the event-queue service itself. Their audience is empty, so no client receives them.

use serde_json::json;
use spindle_domain::UserId;

use crate::event::record;
use crate::{Audience, Event};

/// See [`credentials_ended`].
pub(crate) const CREDENTIALS_ENDED: &str = "credentials_ended";

/// A key or session of this account has ended, so a waiting poll may hold invalid credentials.
#[must_use]
pub fn credentials_ended(user_id: UserId) -> Event {
    let body = record([("user_id", json!(user_id))]);
    Event::new(CREDENTIALS_ENDED, body, Audience::default())
}
