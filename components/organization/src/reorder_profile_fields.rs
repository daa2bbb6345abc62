//! PATCH /realm/profile_fields (docs/protocol/profile-fields.md#reorder_profile_fields).

use spindle_actions::organization::reorder_profile_fields;
use spindle_domain::ProfileFieldId;
use spindle_guest::{Call, Failure, Guard, Operation, Reply};

pub(crate) const OPERATION: Operation = Operation::patch(
    "reorder-profile-fields",
    "/api/v1/realm/profile_fields",
    Guard::Administrator,
    run,
);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let order: Vec<ProfileFieldId> = call.params.required("order")?;
    reorder_profile_fields(call.db()?, call.actor()?, call.now(), &order)?;
    Ok(spindle_wire::Reply::empty().into())
}
