//! POST /user_groups/{user_group_id}/subgroups
//! (docs/protocol/user-groups.md#update_user_group_subgroups).

use spindle_actions::user_groups::{GroupLists, change_group_lists};
use spindle_domain::GroupId;
use spindle_guest::{Call, Failure, Guard, Operation, Reply};

pub(crate) const OPERATION: Operation = Operation::post(
    "update-user-group-subgroups",
    "/api/v1/user_groups/{user_group_id}/subgroups",
    Guard::NotGuest,
    run,
);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let group_id: GroupId = call.path_id("user_group_id")?;
    let lists = GroupLists {
        add_subgroups: call.params.optional("add")?.unwrap_or_default(),
        delete_subgroups: call.params.optional("delete")?.unwrap_or_default(),
        ..GroupLists::default()
    };
    change_group_lists(call.db()?, call.actor()?, call.now(), group_id, &lists)?;
    Ok(spindle_wire::Reply::empty().into())
}
