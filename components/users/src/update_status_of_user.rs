//! POST /users/{user_id}/status (FL 407; docs/protocol/presence.md#update_status_of_user).

use spindle_actions::users::set_user_status;
use spindle_domain::UserId;
use spindle_guest::{Call, Failure, Guard, Operation, Reply};

use crate::update_status::parameters;

pub(crate) const OPERATION: Operation = Operation::post(
    "update-status-of-user",
    "/api/v1/users/{user_id}/status",
    Guard::Administrator,
    run,
);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let input = parameters(&call.params)?;
    let user_id: UserId = call.path_id("user_id")?;
    set_user_status(call.db()?, call.actor()?, call.now(), user_id, &input)?;
    Ok(spindle_wire::Reply::empty().into())
}
