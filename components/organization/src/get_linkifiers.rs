//! GET /realm/linkifiers (docs/protocol/linkifiers.md#get_linkifiers).

use spindle_actions::organization::list_linkifiers;
use spindle_guest::{Call, Failure, Guard, Operation, Reply};

pub(crate) const OPERATION: Operation = Operation::get(
    "get-linkifiers",
    "/api/v1/realm/linkifiers",
    Guard::User,
    run,
);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let records = list_linkifiers(call.db()?, call.actor()?)?;
    Ok(spindle_wire::Reply::raw_value("linkifiers", records).into())
}
