//! GET /scheduled_messages (docs/protocol/scheduled.md#get_scheduled_messages).

use spindle_actions::scheduled::list_scheduled_messages;
use spindle_guest::{Call, Failure, Guard, Operation, Reply};

pub(crate) const OPERATION: Operation = Operation::get(
    "get-scheduled-messages",
    "/api/v1/scheduled_messages",
    Guard::User,
    run,
);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let list = list_scheduled_messages(call.db()?, call.actor()?)?;
    Ok(spindle_wire::Reply::raw_value("scheduled_messages", list).into())
}
