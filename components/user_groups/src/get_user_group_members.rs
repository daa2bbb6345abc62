//! GET /user_groups/{user_group_id}/members (docs/protocol/user-groups.md#get_user_group_members).

use spindle_actions::user_groups::group_members;
use spindle_domain::GroupId;
use spindle_guest::{Call, Failure, Guard, Operation, Reply};

pub(crate) const OPERATION: Operation = Operation::get(
    "get-user-group-members",
    "/api/v1/user_groups/{user_group_id}/members",
    Guard::NotGuest,
    run,
);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let group_id: GroupId = call.path_id("user_group_id")?;
    let direct = call.params.optional("direct_member_only")?.unwrap_or(false);
    let members = group_members(call.db()?, call.actor()?, group_id, direct)?;
    let reply = spindle_wire::Reply::raw_value("members", members);
    Ok(reply.into())
}
