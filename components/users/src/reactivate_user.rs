//! POST /users/{user_id}/reactivate (docs/protocol/users.md#reactivate_user).

use spindle_actions::users::reactivate_user;
use spindle_domain::UserId;
use spindle_guest::{Call, Failure, Guard, Operation, Reply};

pub(crate) const OPERATION: Operation = Operation::post(
    "reactivate-user",
    "/api/v1/users/{user_id}/reactivate",
    Guard::User,
    run,
);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let user_id: UserId = call.path_id("user_id")?;
    let actor = call.actor()?;
    let realm_id = actor.realm_id;
    reactivate_user(call.db()?, Some(actor), realm_id, call.now(), user_id)?;
    Ok(spindle_wire::Reply::empty().into())
}
