//! GET /users (docs/protocol/users.md#get_users).

use spindle_actions::users::{UserForm, list_users};
use spindle_domain::UserId;
use spindle_guest::{Call, Failure, Guard, Operation, Reply};
use spindle_wire::{ApiError, Params};

pub(crate) const OPERATION: Operation =
    Operation::get("get-users", "/api/v1/users", Guard::User, run);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let form = form(&call.params)?;
    let only: Option<Vec<UserId>> = call.params.optional("user_ids")?;
    let members = list_users(call.db()?, call.actor()?, form, only.as_deref())?;
    Ok(spindle_wire::Reply::raw_value("members", members).into())
}

/// The form of user objects that the caller requests.
pub(crate) fn form(params: &Params<'_>) -> Result<UserForm, ApiError> {
    let flag =
        |name, default| -> Result<bool, ApiError> { Ok(params.optional(name)?.unwrap_or(default)) };
    Ok(UserForm {
        client_gravatar: flag("client_gravatar", true)?,
        include_custom_profile_fields: flag("include_custom_profile_fields", false)?,
    })
}
