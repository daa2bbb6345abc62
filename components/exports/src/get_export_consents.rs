//! GET /export/realm/consents (docs/protocol/exports.md#get_export_consents).

use spindle_actions::exports::list_export_consents;
use spindle_guest::{Call, Failure, Guard, Operation, Reply};

pub(crate) const OPERATION: Operation = Operation::get(
    "get-export-consents",
    "/api/v1/export/realm/consents",
    Guard::Administrator,
    run,
);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let list = list_export_consents(call.db()?, call.actor()?)?;
    Ok(spindle_wire::Reply::raw_value("export_consents", list).into())
}
