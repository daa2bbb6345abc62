//! DELETE /export/realm/{export_id} (docs/protocol/exports.md#delete_realm_export).

use spindle_actions::exports::delete_export;
use spindle_guest::{Call, Failure, Guard, Operation, Reply};

pub(crate) const OPERATION: Operation = Operation::delete(
    "delete-realm-export",
    "/api/v1/export/realm/{export_id}",
    Guard::Administrator,
    run,
);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let id = call.path_id("export_id")?;
    let url = call.site().to_owned();
    delete_export(call.db()?, call.actor()?, call.now(), id, &url)?;
    Ok(spindle_wire::Reply::empty().into())
}
