//! Ends an event queue (docs/protocol/events.md#delete_queue).

use spindle_domain::errors::ClientError;
use spindle_store::{Connection, Freeing, SilentReason, queues};

use crate::{ActionError, Actor, change};

/// Deletes a queue of the caller at `now` (UNIX seconds).
///
/// # Errors
/// [`ClientError::BadEventQueueId`] when there is no such queue or it belongs to another user.
pub fn delete_queue(db: &dyn Connection, actor: &Actor, queue_id: &str) -> Result<(), ActionError> {
    let db = &Freeing(db);
    change::silently(db, SilentReason::Queues, |tx| {
        if !queues::delete(tx, queue_id, actor.user_id)? {
            return Err(ClientError::BadEventQueueId {
                queue_id: queue_id.to_owned(),
            }
            .into());
        }
        Ok(())
    })
}
