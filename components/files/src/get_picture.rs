//! GET /user_avatars/{realm_id}/{name}: an uploaded avatar, under its random name.
//!
//! The random URL itself grants access, since browsers load images without credentials.

use crate::serving;
use spindle_actions::users::{Picture, find_picture};
use spindle_domain::RealmId;
use spindle_guest::{Call, Failure, Guard, Operation, Reply};
use spindle_wire::ApiError;

pub(crate) const OPERATION: Operation = Operation::get(
    "get-picture",
    "/user_avatars/{realm_id}/{picture}",
    Guard::Anonymous,
    run,
)
.exempt();

/// The larger version.
pub(crate) const OPERATION_MEDIUM: Operation = Operation::get(
    "get-picture-medium",
    "/user_avatars/{realm_id}/{picture}/medium",
    Guard::Anonymous,
    run_medium,
)
.exempt();

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    picture(call, false)
}

fn run_medium(call: &Call<'_>) -> Result<Reply, Failure> {
    picture(call, true)
}

fn picture(call: &Call<'_>, medium: bool) -> Result<Reply, Failure> {
    let realm_id = call.path_id("realm_id")?;
    call.params.optional_text("version");
    let found = match realm_id == RealmId::ONLY {
        true => find_picture(call.db()?, realm_id, call.path_text("picture")?, medium)?,
        false => None,
    };
    match found {
        Some(Picture::Stored(key)) => Ok(serving::picture(key, "image/png")),
        Some(Picture::Elsewhere(address)) => Reply::redirect(&address),
        None => Err(ApiError::not_found_object("There is no such picture").into()),
    }
}
