//! GET /realm/profile_fields (docs/protocol/profile-fields.md#get_profile_fields).

use spindle_actions::organization::list_profile_fields;
use spindle_guest::{Call, Failure, Guard, Operation, Reply};

pub(crate) const OPERATION: Operation = Operation::get(
    "get-profile-fields",
    "/api/v1/realm/profile_fields",
    Guard::User,
    run,
);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let fields = list_profile_fields(call.db()?, call.actor()?)?;
    Ok(spindle_wire::Reply::raw_value("custom_fields", fields).into())
}
