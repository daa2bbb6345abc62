//! GET /users/{user_id}/status (docs/protocol/presence.md#get_user_status).

use spindle_actions::users::get_user_status;
use spindle_domain::UserId;
use spindle_guest::{Call, Failure, Guard, Operation, Reply};

pub(crate) const OPERATION: Operation = Operation::get(
    "get-user-status",
    "/api/v1/users/{user_id}/status",
    Guard::User,
    run,
);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let user_id: UserId = call.path_id("user_id")?;
    let status = get_user_status(call.db()?, call.actor()?, user_id)?;
    Ok(spindle_wire::Reply::empty()
        .field("status", &status)?
        .into())
}
