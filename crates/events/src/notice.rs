//! Rows of the log that the event-queue service reads for itself. Their audience is empty, so that no client receives one.

use serde_json::json;
use spindle_domain::UserId;

use crate::event::record;
use crate::{Audience, Event};

/// See [`credentials_ended`].
pub(crate) const CREDENTIALS_ENDED: &str = "credentials_ended";

/// A key or a session of this account has ended, so that a poll may be waiting with credentials that are no
/// longer valid.
#[must_use]
pub fn credentials_ended(user_id: UserId) -> Event {
    let body = record([("user_id", json!(user_id))]);
    Event::new(CREDENTIALS_ENDED, body, Audience::default())
}
