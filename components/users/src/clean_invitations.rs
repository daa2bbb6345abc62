//! POST /internal/clean_invitations: forgets invitations that have ended long ago.
//!
//! Called by a timer; a repeated call finds nothing left to do.

use spindle_actions::clean_invitations;
use spindle_domain::RealmId;
use spindle_guest::{Call, Failure, Guard, Operation, Reply};

pub(crate) const OPERATION: Operation = Operation::post(
    "clean-invitations",
    "/internal/clean_invitations",
    Guard::Internal,
    run,
);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let deleted = clean_invitations(call.db()?, RealmId::ONLY.get(), call.now())?;
    let reply = spindle_wire::Reply::empty().field("deleted", &deleted)?;
    Ok(reply.into())
}
