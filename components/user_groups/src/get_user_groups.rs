//! GET /user_groups (docs/protocol/user-groups.md#get_user_groups).

use spindle_actions::user_groups::list_groups;
use spindle_guest::{Call, Failure, Guard, Operation, Reply};

pub(crate) const OPERATION: Operation = Operation::get(
    "get-user-groups",
    "/api/v1/user_groups",
    Guard::NotGuest,
    run,
);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let include = call.params.optional("include_deactivated_groups")?;
    let groups = list_groups(call.db()?, call.actor()?, include.unwrap_or(false))?;
    let reply = spindle_wire::Reply::raw_value("user_groups", groups);
    Ok(reply.into())
}
