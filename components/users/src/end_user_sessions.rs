//! DELETE /users/{user_id}/sessions (docs/protocol/sessions.md#end_user_sessions).

use spindle_actions::users::{EndedCredentials, end_credentials};
use spindle_guest::{Call, Failure, Guard, Operation, Reply, Scope};

pub(crate) const OPERATION: Operation = Operation::delete(
    "end-user-sessions",
    "/api/v1/users/{user_id}/sessions",
    Guard::Owner,
    run,
)
.needing(Scope::Account);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let user_id = call.path_id("user_id")?;
    let what = EndedCredentials::Sessions;
    end_credentials(call.db()?, call.actor()?, call.now(), user_id, what)?;
    Ok(spindle_wire::Reply::empty().into())
}
