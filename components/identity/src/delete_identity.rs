//! DELETE /identities/{identity_id}: the caller no longer signs in with a company account
//! (docs/protocol/identity.md#delete_identity).

use spindle_actions::identity::disconnect;
use spindle_guest::{Call, Failure, Guard, Operation, Reply, Scope};

pub(crate) const OPERATION: Operation = Operation::delete(
    "delete-identity",
    "/api/v1/identities/{identity_id}",
    Guard::Human,
    run,
)
.needing(Scope::Account);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let id = call.path_id("identity_id")?;
    disconnect(call.db()?, call.actor()?, call.now(), id)?;
    Ok(spindle_wire::Reply::empty().into())
}
