//! GET /users/{user_id}/identities (docs/protocol/identity.md#get_user_identities).

use spindle_actions::users::list_identities;
use spindle_guest::{Call, Failure, Guard, Operation, Reply, Scope};

pub(crate) const OPERATION: Operation = Operation::get(
    "get-user-identities",
    "/api/v1/users/{user_id}/identities",
    Guard::Owner,
    run,
)
.needing(Scope::Account);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let user_id = call.path_id("user_id")?;
    let identities = list_identities(call.db()?, call.actor()?, user_id)?;
    Ok(spindle_wire::Reply::empty()
        .field("identities", &identities)?
        .into())
}
