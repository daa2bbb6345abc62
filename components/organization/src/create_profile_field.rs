//! POST /realm/profile_fields (docs/protocol/profile-fields.md#create_profile_field).

use spindle_actions::organization::{NewProfileField, create_profile_field};
use spindle_guest::{Call, Failure, Guard, Operation, Reply};
use spindle_wire::{ApiError, Params};

pub(crate) const OPERATION: Operation = Operation::post(
    "create-profile-field",
    "/api/v1/realm/profile_fields",
    Guard::Administrator,
    run,
);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let new = parameters(&call.params)?;
    let id = create_profile_field(call.db()?, call.actor()?, call.now(), &new)?;
    Ok(spindle_wire::Reply::empty().field("id", &id)?.into())
}

/// Reads the parameters in the order of the protocol.
fn parameters(params: &Params<'_>) -> Result<NewProfileField, ApiError> {
    let flag =
        |name, default| -> Result<bool, ApiError> { Ok(params.optional(name)?.unwrap_or(default)) };
    let text = |name| params.optional_text(name).unwrap_or_default().to_owned();
    Ok(NewProfileField {
        display_in_profile_summary: flag("display_in_profile_summary", false)?,
        editable_by_user: flag("editable_by_user", true)?,
        field_data: params.optional("field_data")?,
        field_type: params.required("field_type")?,
        hint: text("hint"),
        name: text("name"),
        required: flag("required", false)?,
        use_for_user_matching: flag("use_for_user_matching", false)?,
    })
}
