//! POST /user_groups/{user_group_id}/members
//! (docs/protocol/user-groups.md#update_user_group_members).

use spindle_actions::user_groups::{GroupLists, change_group_lists};
use spindle_domain::GroupId;
use spindle_guest::{Call, Failure, Guard, Operation, Reply};
use spindle_wire::{ApiError, Params};

pub(crate) const OPERATION: Operation = Operation::post(
    "update-user-group-members",
    "/api/v1/user_groups/{user_group_id}/members",
    Guard::NotGuest,
    run,
);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let group_id: GroupId = call.path_id("user_group_id")?;
    let lists = parameters(&call.params)?;
    change_group_lists(call.db()?, call.actor()?, call.now(), group_id, &lists)?;
    Ok(spindle_wire::Reply::empty().into())
}

fn parameters(params: &Params<'_>) -> Result<GroupLists, ApiError> {
    Ok(GroupLists {
        add: params.optional("add")?.unwrap_or_default(),
        add_subgroups: params.optional("add_subgroups")?.unwrap_or_default(),
        delete: params.optional("delete")?.unwrap_or_default(),
        delete_subgroups: params.optional("delete_subgroups")?.unwrap_or_default(),
    })
}
