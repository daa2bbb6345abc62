//! PATCH /user_groups/{user_group_id} (docs/protocol/user-groups.md#update_user_group).

use spindle_actions::user_groups::{GroupChanges, update_group};
use spindle_domain::GroupId;
use spindle_domain::permission::GROUP;
use spindle_guest::{Call, Failure, Guard, Operation, Reply};
use spindle_wire::{ApiError, Params, permissions};

pub(crate) const OPERATION: Operation = Operation::patch(
    "update-user-group",
    "/api/v1/user_groups/{user_group_id}",
    Guard::NotGuest,
    run,
);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let group_id: GroupId = call.path_id("user_group_id")?;
    let changes = parameters(&call.params)?;
    update_group(call.db()?, call.actor()?, call.now(), group_id, &changes)?;
    Ok(spindle_wire::Reply::empty().into())
}

fn parameters(params: &Params<'_>) -> Result<GroupChanges, ApiError> {
    let text = |name| params.optional_text(name).map(str::to_owned);
    Ok(GroupChanges {
        permissions: permissions::updates(params, GROUP)?,
        deactivated: params.optional("deactivated")?,
        description: text("description"),
        name: text("name"),
    })
}
