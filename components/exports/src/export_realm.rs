//! POST /export/realm (docs/protocol/exports.md#export_realm).

use spindle_actions::exports::{ExportType, request_export};
use spindle_guest::{Call, Failure, Guard, Operation, Reply};

pub(crate) const OPERATION: Operation = Operation::post(
    "export-realm",
    "/api/v1/export/realm",
    Guard::Administrator,
    run,
);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let export_type = call
        .params
        .optional_enum("export_type", ExportType::NAMES)?
        .unwrap_or(ExportType::Public);
    let url = call.site().to_owned();
    let id = request_export(call.db()?, call.actor()?, call.now(), export_type, &url)?;
    Ok(spindle_wire::Reply::empty().field("id", &id)?.into())
}
