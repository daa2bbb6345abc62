//! Ends an event queue (spec: DELETE /events; protocol-facts 2.18).

use spindle_domain::errors::ClientError;
use spindle_store::{Db, Emitted, WriteTx, queues};

use crate::{ActionError, Actor};

/// Deletes a queue of the caller at `now` (UNIX seconds).
///
/// # Errors
/// [`ClientError::BadEventQueueId`] when there is no such queue or it is somebody else's.
pub fn delete_queue(
    db: &dyn Db,
    actor: &Actor,
    now: i64,
    queue_id: &str,
) -> Result<(), ActionError> {
    let tx = WriteTx::begin(db)?;
    if !queues::delete(&tx, queue_id, actor.user_id.get())? {
        return Err(ClientError::BadEventQueueId {
            queue_id: queue_id.to_owned(),
        }
        .into());
    }
    let reason = "a queue is known to its client only";
    tx.commit(actor.realm_id.get(), now, Emitted::Nothing(reason))?;
    Ok(())
}
