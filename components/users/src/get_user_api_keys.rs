//! GET /users/{user_id}/api_keys (docs/protocol/sessions.md#get_user_api_keys).

use spindle_actions::users::list_credentials;
use spindle_guest::{Call, Failure, Guard, Operation, Reply, Scope};

pub(crate) const OPERATION: Operation = Operation::get(
    "get-user-api-keys",
    "/api/v1/users/{user_id}/api_keys",
    Guard::Owner,
    run,
)
.needing(Scope::Account);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let user_id = call.path_id("user_id")?;
    let found = list_credentials(call.db()?, call.actor()?, call.now(), user_id)?;
    Ok(spindle_wire::Reply::empty()
        .field("api_keys", &found.api_keys)?
        .into())
}
