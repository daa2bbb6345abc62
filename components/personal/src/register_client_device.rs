//! POST /register_client_device (docs/protocol/push.md#register_client_device).

use spindle_actions::personal::register_client_device;
use spindle_guest::{Call, Failure, Guard, Operation, Reply};

pub(crate) const OPERATION: Operation = Operation::post(
    "register-client-device",
    "/api/v1/register_client_device",
    Guard::Human,
    run,
);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let device_id = register_client_device(call.db()?, call.actor()?, call.now())?;
    Ok(spindle_wire::Reply::empty()
        .field("device_id", &device_id)?
        .into())
}
