//! GET /user_groups/{user_group_id}/members/{user_id}
//! (docs/protocol/user-groups.md#get_is_user_group_member).

use spindle_actions::user_groups::is_group_member;
use spindle_domain::{GroupId, UserId};
use spindle_guest::{Call, Failure, Guard, Operation, Reply};

pub(crate) const OPERATION: Operation = Operation::get(
    "get-is-user-group-member",
    "/api/v1/user_groups/{user_group_id}/members/{user_id}",
    Guard::NotGuest,
    run,
);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let group_id: GroupId = call.path_id("user_group_id")?;
    let user_id: UserId = call.path_id("user_id")?;
    let direct = call.params.optional("direct_member_only")?.unwrap_or(false);
    let found = is_group_member(call.db()?, call.actor()?, group_id, user_id, direct)?;
    let reply = spindle_wire::Reply::empty().field("is_user_group_member", &found)?;
    Ok(reply.into())
}
