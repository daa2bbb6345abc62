//! DELETE /users/{user_id} (docs/protocol/users.md#deactivate_user).

use spindle_actions::users::{Deactivation, deactivate_person};
use spindle_domain::UserId;
use spindle_domain::limits::MAX_DEACTIVATION_COMMENT_LENGTH;
use spindle_guest::{Call, Failure, Guard, Operation, Reply};

pub(crate) const OPERATION: Operation = Operation::delete(
    "deactivate-user",
    "/api/v1/users/{user_id}",
    Guard::Administrator,
    run,
);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let actions = call.params.optional("actions")?.unwrap_or_default();
    let name = "deactivation_notification_comment";
    let comment = call
        .params
        .optional_trimmed(name, MAX_DEACTIVATION_COMMENT_LENGTH)?;
    let user_id: UserId = call.path_id("user_id")?;
    let deactivation = Deactivation { comment, actions };
    deactivate_person(call.db()?, call.actor()?, call.now(), user_id, deactivation)?;
    Ok(spindle_wire::Reply::empty().into())
}
