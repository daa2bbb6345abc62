//! POST /user_groups/{user_group_id}/deactivate
//! (docs/protocol/user-groups.md#deactivate_user_group).

use spindle_actions::user_groups::deactivate_group;
use spindle_domain::GroupId;
use spindle_guest::{Call, Failure, Guard, Operation, Reply};

pub(crate) const OPERATION: Operation = Operation::post(
    "deactivate-user-group",
    "/api/v1/user_groups/{user_group_id}/deactivate",
    Guard::NotGuest,
    run,
);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let group_id: GroupId = call.path_id("user_group_id")?;
    deactivate_group(call.db()?, call.actor()?, call.now(), group_id)?;
    Ok(spindle_wire::Reply::empty().into())
}
