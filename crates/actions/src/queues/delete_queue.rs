//! Ends an event queue (spec: DELETE /events; protocol-facts 2.18).

use spindle_store::{Connection, Emitted, WriteTx, queues};

use crate::{ActionError, Actor};

/// Deletes a queue of the caller at `now` (UNIX seconds).
///
/// # Errors
/// [`ActionError::BadEventQueueId`] when there is no such queue or it is somebody else's.
pub fn delete_queue(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    queue_id: &str,
) -> Result<(), ActionError> {
    let tx = WriteTx::begin(db)?;
    if !queues::delete(&tx, queue_id, actor.user_id.get())? {
        return Err(ActionError::BadEventQueueId(queue_id.to_owned()));
    }
    let reason = "a queue is known to its client only";
    tx.commit(actor.realm_id.get(), now, Emitted::Nothing(reason))?;
    Ok(())
}
