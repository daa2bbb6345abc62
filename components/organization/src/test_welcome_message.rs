//! POST /realm/test_welcome_bot_custom_message (docs/protocol/organization.md#test_welcome_message,
//! FL 416).

use spindle_actions::users::test_welcome_message;
use spindle_guest::{Call, Failure, Guard, Operation, Reply};

pub(crate) const OPERATION: Operation = Operation::post(
    "test-welcome-message",
    "/api/v1/realm/test_welcome_bot_custom_message",
    Guard::Administrator,
    run,
);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let text = call.params.required_text("welcome_message_custom_text")?;
    let message_id = test_welcome_message(call.db()?, call.actor()?, call.now(), text)?;
    let reply = spindle_wire::Reply::empty().field("message_id", &message_id)?;
    Ok(reply.into())
}
