//! PATCH /realm/linkifiers (docs/protocol/linkifiers.md#reorder_linkifiers).

use spindle_actions::organization::reorder_linkifiers;
use spindle_domain::LinkifierId;
use spindle_guest::{Call, Failure, Guard, Operation, Reply};

pub(crate) const OPERATION: Operation = Operation::patch(
    "reorder-linkifiers",
    "/api/v1/realm/linkifiers",
    Guard::Administrator,
    run,
);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let ids: Vec<LinkifierId> = call.params.required("ordered_linkifier_ids")?;
    reorder_linkifiers(call.db()?, call.actor()?, call.now(), &ids)?;
    Ok(spindle_wire::Reply::empty().into())
}
