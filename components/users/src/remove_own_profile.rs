//! DELETE /users/me/profile_data (docs/protocol/users.md#remove_own_profile).

use spindle_actions::users::remove_own_profile;
use spindle_domain::ProfileFieldId;
use spindle_guest::{Call, Failure, Guard, Operation, Reply};

pub(crate) const OPERATION: Operation = Operation::delete(
    "remove-own-profile",
    "/api/v1/users/me/profile_data",
    Guard::Human,
    run,
);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let field_ids: Vec<ProfileFieldId> = call.params.required("data")?;
    remove_own_profile(call.db()?, call.actor()?, call.now(), &field_ids)?;
    Ok(spindle_wire::Reply::empty().into())
}
