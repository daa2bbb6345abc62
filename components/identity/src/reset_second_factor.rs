//! DELETE /users/{user_id}/second_factor (docs/protocol/second-factor.md#reset_second_factor).

use spindle_actions::account::reset_second_factor;
use spindle_guest::{Call, Failure, Guard, Operation, Reply, Scope};

pub(crate) const OPERATION: Operation = Operation::delete(
    "reset-second-factor",
    "/api/v1/users/{user_id}/second_factor",
    Guard::Administrator,
    run,
)
.needing(Scope::Account);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let user_id = call.path_id("user_id")?;
    let actor = call.actor()?;
    let realm_id = actor.realm_id;
    reset_second_factor(call.db()?, Some(actor), realm_id, call.now(), user_id)?;
    Ok(spindle_wire::Reply::empty().into())
}
