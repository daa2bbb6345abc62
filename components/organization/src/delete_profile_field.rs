//! DELETE /realm/profile_fields/{field_id} (docs/protocol/profile-fields.md#delete_profile_field).

use spindle_actions::organization::delete_profile_field;
use spindle_guest::{Call, Failure, Guard, Operation, Reply};

pub(crate) const OPERATION: Operation = Operation::delete(
    "delete-profile-field",
    "/api/v1/realm/profile_fields/{field_id}",
    Guard::Administrator,
    run,
);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let field_id = call.path_id("field_id")?;
    delete_profile_field(call.db()?, call.actor()?, call.now(), field_id)?;
    Ok(spindle_wire::Reply::empty().into())
}
