//! POST /internal/measure_channels: counts the traffic of channels that are due.
//!
//! Called by a timer of the host. A repeated call finds nothing left to do.

use spindle_actions::measure_channels;
use spindle_domain::RealmId;
use spindle_guest::{Call, Failure, Guard, Operation, Reply};

pub(crate) const OPERATION: Operation = Operation::post(
    "measure-channels",
    "/internal/measure_channels",
    Guard::Internal,
    run,
);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let measured = measure_channels(call.db()?, RealmId::ONLY.get(), call.now())?;
    let reply = spindle_wire::Reply::empty().field("measured_channels", &measured)?;
    Ok(reply.into())
}
