//! DELETE /scheduled_messages/{scheduled_message_id}
//! (docs/protocol/scheduled.md#delete_scheduled_message).

use spindle_actions::scheduled::delete_scheduled_message;
use spindle_domain::ScheduledMessageId;
use spindle_guest::{Call, Failure, Guard, Operation, Reply, Scope};

pub(crate) const OPERATION: Operation = Operation::delete(
    "delete-scheduled-message",
    "/api/v1/scheduled_messages/{scheduled_message_id}",
    Guard::User,
    run,
)
.needing(Scope::Send);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let id: ScheduledMessageId = call.path_id("scheduled_message_id")?;
    delete_scheduled_message(call.db()?, call.actor()?, call.now(), id)?;
    Ok(spindle_wire::Reply::empty().into())
}
