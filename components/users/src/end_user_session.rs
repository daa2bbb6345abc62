//! DELETE /users/{user_id}/sessions/{session_id} (docs/protocol/sessions.md#end_user_session).

use spindle_actions::users::{EndedCredentials, end_credentials};
use spindle_guest::{Call, Failure, Guard, Operation, Reply, Scope};

pub(crate) const OPERATION: Operation = Operation::delete(
    "end-user-session",
    "/api/v1/users/{user_id}/sessions/{session_id}",
    Guard::Owner,
    run,
)
.needing(Scope::Account);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let user_id = call.path_id("user_id")?;
    let what = EndedCredentials::Session(call.path_id("session_id")?);
    end_credentials(call.db()?, call.actor()?, call.now(), user_id, what)?;
    Ok(spindle_wire::Reply::empty().into())
}
