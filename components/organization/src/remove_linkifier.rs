//! DELETE /realm/filters/{filter_id} (docs/protocol/linkifiers.md#remove_linkifier).

use spindle_actions::organization::remove_linkifier;
use spindle_guest::{Call, Failure, Guard, Operation, Reply};

pub(crate) const OPERATION: Operation = Operation::delete(
    "remove-linkifier",
    "/api/v1/realm/filters/{filter_id}",
    Guard::Administrator,
    run,
);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let id = call.path_id("filter_id")?;
    call.params.mark_known(["filter_id"]);
    remove_linkifier(call.db()?, call.actor()?, call.now(), id)?;
    Ok(spindle_wire::Reply::empty().into())
}
