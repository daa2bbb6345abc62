//! The user in a path, by id or by email address.

use spindle_domain::narrow::UserReference;
use spindle_guest::Call;
use spindle_wire::ApiError;

/// The user of `/users/{user_id}`.
pub(crate) fn by_id(call: &Call<'_>) -> Result<UserReference, ApiError> {
    Ok(UserReference::Id(call.path_id("user_id")?))
}

/// The user of `/users/{email}`.
pub(crate) fn by_email(call: &Call<'_>) -> Result<UserReference, ApiError> {
    Ok(UserReference::Email(call.path_text("email")?.to_owned()))
}
