//! POST /user_groups/create (docs/protocol/user-groups.md#create_user_group).

use spindle_actions::user_groups::{NewGroup, create_group};
use spindle_domain::permission::GROUP;
use spindle_guest::{Call, Failure, Guard, Operation, Reply};
use spindle_wire::{ApiError, Params, permissions};

pub(crate) const OPERATION: Operation = Operation::post(
    "create-user-group",
    "/api/v1/user_groups/create",
    Guard::NotGuest,
    run,
);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let new = parameters(&call.params)?;
    let id = create_group(call.db()?, call.actor()?, call.now(), &new)?;
    Ok(spindle_wire::Reply::empty().field("group_id", &id)?.into())
}

fn parameters(params: &Params<'_>) -> Result<NewGroup, ApiError> {
    Ok(NewGroup {
        permissions: permissions::values(params, GROUP)?,
        description: params.required_text("description")?.to_owned(),
        members: params.required("members")?,
        name: params.required_text("name")?.to_owned(),
        subgroups: params.optional("subgroups")?.unwrap_or_default(),
    })
}
