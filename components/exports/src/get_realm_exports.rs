//! GET /export/realm (docs/protocol/exports.md#get_realm_exports).

use spindle_actions::exports::list_exports;
use spindle_guest::{Call, Failure, Guard, Operation, Reply};

pub(crate) const OPERATION: Operation = Operation::get(
    "get-realm-exports",
    "/api/v1/export/realm",
    Guard::Administrator,
    run,
);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let list = list_exports(call.db()?, call.actor()?, call.site())?;
    Ok(spindle_wire::Reply::raw_value("exports", list).into())
}
