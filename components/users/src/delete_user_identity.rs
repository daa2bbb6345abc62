//! DELETE /users/{user_id}/identities/{identity_id} (docs/protocol/identity.md#delete_user_identity).

use spindle_actions::users::{EndedCredentials, end_credentials};
use spindle_guest::{Call, Failure, Guard, Operation, Reply, Scope};

pub(crate) const OPERATION: Operation = Operation::delete(
    "delete-user-identity",
    "/api/v1/users/{user_id}/identities/{identity_id}",
    Guard::Owner,
    run,
)
.needing(Scope::Account);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let user_id = call.path_id("user_id")?;
    let what = EndedCredentials::Identity(call.path_id("identity_id")?);
    end_credentials(call.db()?, call.actor()?, call.now(), user_id, what)?;
    Ok(spindle_wire::Reply::empty().into())
}
