//! POST /remove_client_device (docs/protocol/push.md#remove_client_device).

use spindle_actions::personal::remove_client_device;
use spindle_guest::{Call, Failure, Guard, Operation, Reply};

pub(crate) const OPERATION: Operation = Operation::post(
    "remove-client-device",
    "/api/v1/remove_client_device",
    Guard::Human,
    run,
);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let device_id = call.params.required("device_id")?;
    remove_client_device(call.db()?, call.actor()?, call.now(), device_id)?;
    Ok(spindle_wire::Reply::empty().into())
}
