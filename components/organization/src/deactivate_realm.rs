//! POST /realm/deactivate (docs/protocol/errors.md#statuses, docs/protocol/events.md#realm).
//! `deletion_delay_days` is not supported: nothing is deleted, and the answer lists the parameter
//! as ignored.

use spindle_actions::organization::deactivate_realm;
use spindle_guest::{Call, Failure, Guard, Operation, Reply};

pub(crate) const OPERATION: Operation = Operation::post(
    "deactivate-realm",
    "/api/v1/realm/deactivate",
    Guard::Owner,
    run,
);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let actor = call.actor()?;
    deactivate_realm(call.db()?, Some(actor), actor.realm_id, call.now())?;
    Ok(spindle_wire::Reply::empty().into())
}
