//! GET /messages/{message_id}/read_receipts (docs/protocol/flags.md#get_read_receipts).

use spindle_actions::messages::get_read_receipts;
use spindle_domain::MessageId;
use spindle_guest::{Call, Failure, Guard, Operation, Reply};

pub(crate) const OPERATION: Operation = Operation::get(
    "get-read-receipts",
    "/api/v1/messages/{message_id}/read_receipts",
    Guard::User,
    run,
);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let message_id: MessageId = call.path_id("message_id")?;
    let user_ids = get_read_receipts(call.db()?, call.actor()?, message_id)?;
    let reply = spindle_wire::Reply::empty().field("user_ids", &user_ids)?;
    Ok(reply.into())
}
