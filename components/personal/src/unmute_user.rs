//! DELETE /users/me/muted_users/{muted_user_id} (docs/protocol/personal.md#unmute_user).

use spindle_actions::personal::unmute_user;
use spindle_domain::UserId;
use spindle_guest::{Call, Failure, Guard, Operation, Reply};

pub(crate) const OPERATION: Operation = Operation::delete(
    "unmute-user",
    "/api/v1/users/me/muted_users/{muted_user_id}",
    Guard::User,
    run,
);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let muted_user_id: UserId = call.path_id("muted_user_id")?;
    unmute_user(call.db()?, call.actor()?, call.now(), muted_user_id)?;
    Ok(spindle_wire::Reply::empty().into())
}
