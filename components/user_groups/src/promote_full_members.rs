//! POST /internal/promote_full_members: moves members whose waiting period is over.
//!
//! Called by a timer; a repeated call finds nothing left to do.

use spindle_actions::promote_full_members;
use spindle_domain::RealmId;
use spindle_guest::{Call, Failure, Guard, Operation, Reply};

pub(crate) const OPERATION: Operation = Operation::post(
    "promote-full-members",
    "/internal/promote_full_members",
    Guard::Internal,
    run,
);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let moved = promote_full_members(call.db()?, RealmId::ONLY.get(), call.now())?;
    let reply = spindle_wire::Reply::empty().field("moved", &moved)?;
    Ok(reply.into())
}
