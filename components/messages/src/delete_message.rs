//! DELETE /messages/{message_id} (docs/protocol/messages.md#delete_message).

use spindle_actions::messages::delete_message;
use spindle_domain::MessageId;
use spindle_guest::{Call, Failure, Guard, Operation, Reply, Scope};

pub(crate) const OPERATION: Operation = Operation::delete(
    "delete-message",
    "/api/v1/messages/{message_id}",
    Guard::User,
    run,
)
.needing(Scope::Send);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let message_id: MessageId = call.path_id("message_id")?;
    delete_message(call.db()?, call.actor()?, call.now(), message_id)?;
    Ok(spindle_wire::Reply::empty().into())
}
