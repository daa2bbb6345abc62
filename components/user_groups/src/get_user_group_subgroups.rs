//! GET /user_groups/{user_group_id}/subgroups
//! (docs/protocol/user-groups.md#get_user_group_subgroups).

use spindle_actions::user_groups::group_subgroups;
use spindle_domain::GroupId;
use spindle_guest::{Call, Failure, Guard, Operation, Reply};

pub(crate) const OPERATION: Operation = Operation::get(
    "get-user-group-subgroups",
    "/api/v1/user_groups/{user_group_id}/subgroups",
    Guard::NotGuest,
    run,
);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let group_id: GroupId = call.path_id("user_group_id")?;
    let direct = call.params.optional("direct_subgroup_only")?;
    let direct = direct.unwrap_or(false);
    let subgroups = group_subgroups(call.db()?, call.actor()?, group_id, direct)?;
    let reply = spindle_wire::Reply::raw_value("subgroups", subgroups);
    Ok(reply.into())
}
