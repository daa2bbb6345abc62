//! DELETE /events: ends a queue (docs/protocol/events.md#delete_queue).

use crate::queue_id;
use spindle_actions::queues::delete_queue;
use spindle_guest::{Call, Failure, Guard, Operation, QueueDeleted, Reply, Scope};

pub(crate) const OPERATION: Operation =
    Operation::delete("delete-queue", "/api/v1/events", Guard::User, run).needing(Scope::Read);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let queue_id = queue_id::required(&call.params)?;
    let actor = call.actor()?;
    delete_queue(call.db()?, actor, queue_id)?;
    Ok(Reply::QueueDeleted(QueueDeleted {
        queue_id: queue_id.to_owned(),
        user_id: actor.user_id.get(),
    }))
}
