//! GET /users/me (docs/protocol/users.md#get_own_user).

use spindle_actions::users::get_own_user;
use spindle_guest::{Call, Failure, Guard, Operation, Reply};

pub(crate) const OPERATION: Operation =
    Operation::get("get-own-user", "/api/v1/users/me", Guard::User, run);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let user = get_own_user(call.db()?, call.actor()?)?;
    Ok(spindle_wire::Reply::of(&user)?.into())
}
