//! DELETE /users/{user_id}/api_keys (docs/protocol/sessions.md#revoke_user_api_keys).

use spindle_actions::users::{EndedCredentials, end_credentials};
use spindle_guest::{Call, Failure, Guard, Operation, Reply, Scope};

pub(crate) const OPERATION: Operation = Operation::delete(
    "revoke-user-api-keys",
    "/api/v1/users/{user_id}/api_keys",
    Guard::Owner,
    run,
)
.needing(Scope::Account);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let user_id = call.path_id("user_id")?;
    let what = EndedCredentials::ApiKeys;
    end_credentials(call.db()?, call.actor()?, call.now(), user_id, what)?;
    Ok(spindle_wire::Reply::empty().into())
}
