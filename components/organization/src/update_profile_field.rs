//! PATCH /realm/profile_fields/{field_id} (docs/protocol/profile-fields.md#update_profile_field).

use spindle_actions::organization::{ProfileFieldUpdate, update_profile_field};
use spindle_guest::{Call, Failure, Guard, Operation, Reply};
use spindle_wire::{ApiError, Params};

pub(crate) const OPERATION: Operation = Operation::patch(
    "update-profile-field",
    "/api/v1/realm/profile_fields/{field_id}",
    Guard::Administrator,
    run,
);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let update = parameters(&call.params)?;
    let field_id = call.path_id("field_id")?;
    update_profile_field(call.db()?, call.actor()?, call.now(), field_id, &update)?;
    Ok(spindle_wire::Reply::empty().into())
}

/// Reads the parameters in the order of the protocol.
fn parameters(params: &Params<'_>) -> Result<ProfileFieldUpdate, ApiError> {
    let text = |name| params.optional_text(name).map(str::to_owned);
    Ok(ProfileFieldUpdate {
        display_in_profile_summary: params.optional("display_in_profile_summary")?,
        editable_by_user: params.optional("editable_by_user")?,
        field_data: params.optional("field_data")?,
        hint: text("hint"),
        name: text("name"),
        required: params.optional("required")?,
        use_for_user_matching: params.optional("use_for_user_matching")?,
    })
}
