//! POST /messages/{message_id}/typing (docs/protocol/presence.md#set_message_edit_typing_status).

use spindle_actions::messages::set_message_edit_typing_status;
use spindle_domain::MessageId;
use spindle_guest::{Call, Failure, Guard, Operation, Reply, Scope};

use crate::set_typing_status::operation;

pub(crate) const OPERATION: Operation = Operation::post(
    "set-message-edit-typing-status",
    "/api/v1/messages/{message_id}/typing",
    Guard::User,
    run,
)
.needing(Scope::Send);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let message_id: MessageId = call.path_id("message_id")?;
    let operation = operation(&call.params)?;
    let actor = call.actor()?;
    set_message_edit_typing_status(call.db()?, actor, call.now(), operation, message_id)?;
    Ok(spindle_wire::Reply::empty().into())
}
