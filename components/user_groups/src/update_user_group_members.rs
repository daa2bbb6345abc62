//! POST /user_groups/{user_group_id}/members
//! (docs/protocol/user-groups.md#update_user_group_members).

use spindle_actions::{GroupLists, change_group_lists};
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
    let group_id = GroupId(call.path_id("user_group_id")?);
    let lists = parameters(&call.params)?;
    change_group_lists(call.db()?, call.actor()?, call.now(), group_id, &lists)?;
    Ok(spindle_wire::Reply::empty().into())
}

fn parameters(params: &Params<'_>) -> Result<GroupLists, ApiError> {
    let list = |name| Ok::<_, ApiError>(params.optional(name)?.unwrap_or_default());
    Ok(GroupLists {
        add: list("add")?,
        add_subgroups: list("add_subgroups")?,
        delete: list("delete")?,
        delete_subgroups: list("delete_subgroups")?,
    })
}
