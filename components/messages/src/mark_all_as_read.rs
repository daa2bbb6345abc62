//! POST /mark_all_as_read (docs/protocol/flags.md#mark_all_as_read).

use spindle_actions::messages::mark_all_as_read;
use spindle_guest::{Call, Failure, Guard, Operation, Reply, Scope};

pub(crate) const OPERATION: Operation = Operation::post(
    "mark-all-as-read",
    "/api/v1/mark_all_as_read",
    Guard::User,
    run,
)
.needing(Scope::Send);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let complete = mark_all_as_read(call.db()?, call.actor()?, call.now())?;
    Ok(spindle_wire::Reply::empty()
        .field("complete", &complete)?
        .into())
}
