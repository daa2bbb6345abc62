//! Muted users: people whose messages are read (docs/protocol/personal.md#mute_user,
//! docs/protocol/personal.md#unmute_user).
//!
//! The muted user receives no event.

mod mute;
mod unmute;

pub use mute::mute_user;
pub use unmute::unmute_user;

use serde_json::Value;
use spindle_domain::UserId;
use spindle_events::{Event, kinds};
use spindle_store::{WriteTx, muted_users};

use crate::ActionError;

/// The event with the current list.
fn list_event(tx: &WriteTx<'_>, user_id: UserId) -> Result<Event, ActionError> {
    let list: Value = serde_json::from_str(&muted_users::records(tx, user_id)?)
        .map_err(|error| ActionError::Internal(error.to_string()))?;
    Ok(kinds::muted_users(user_id, list))
}
