//! DELETE /realm/playgrounds/{playground_id} (docs/protocol/register.md#sections,
//! docs/protocol/organization.md#playgrounds).

use spindle_actions::organization::remove_playground;
use spindle_guest::{Call, Failure, Guard, Operation, Reply};

pub(crate) const OPERATION: Operation = Operation::delete(
    "remove-code-playground",
    "/api/v1/realm/playgrounds/{playground_id}",
    Guard::Administrator,
    run,
);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let id = call.path_id("playground_id")?;
    remove_playground(call.db()?, call.actor()?, call.now(), id)?;
    Ok(spindle_wire::Reply::empty().into())
}
