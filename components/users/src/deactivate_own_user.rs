//! DELETE /users/me (docs/protocol/users.md#deactivate_own_user).

use spindle_actions::users::deactivate_own_user;
use spindle_guest::{Call, Failure, Guard, Operation, Reply, Scope};

pub(crate) const OPERATION: Operation =
    Operation::delete("deactivate-own-user", "/api/v1/users/me", Guard::Human, run)
        .needing(Scope::Account);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    deactivate_own_user(call.db()?, call.actor()?, call.now())?;
    Ok(spindle_wire::Reply::empty().into())
}
