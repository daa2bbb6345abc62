//! Revokes all credentials of an account at once.

use spindle_domain::UserId;
use spindle_events::{Event, credentials_ended};
use spindle_store::{WriteTx, keys, queues};

use crate::ActionError;
use crate::account::sessions;

/// Deletes the keys, sessions and event queues of an account. Returns the event that ends its waiting polls.
pub(crate) fn revoke_all(tx: &WriteTx<'_>, user_id: UserId) -> Result<Event, ActionError> {
    keys::delete_all(tx, user_id)?;
    sessions::end_all(tx, user_id, None)?;
    queues::delete_of_user(tx, user_id)?;
    Ok(credentials_ended(user_id))
}
