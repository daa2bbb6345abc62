//! POST /users/me/muted_users/{muted_user_id} (docs/protocol/personal.md#mute_user).

use spindle_actions::personal::mute_user;
use spindle_domain::UserId;
use spindle_guest::{Call, Failure, Guard, Operation, Reply};

pub(crate) const OPERATION: Operation = Operation::post(
    "mute-user",
    "/api/v1/users/me/muted_users/{muted_user_id}",
    Guard::User,
    run,
);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let muted_user_id: UserId = call.path_id("muted_user_id")?;
    mute_user(call.db()?, call.actor()?, call.now(), muted_user_id)?;
    Ok(spindle_wire::Reply::empty().into())
}
