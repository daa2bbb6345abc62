//! GET /user_uploads/...: an uploaded file, for users who may read a message that links to it.
//! A client may encode the slashes of its path.

use crate::serving;
use spindle_actions::files::{AttachmentRow, read_file};
use spindle_domain::RealmId;
use spindle_guest::{Call, Failure, Guard, Operation, Reply};

pub(crate) const OPERATION: Operation = Operation::get(
    "get-file",
    "/user_uploads/{*path}",
    Guard::OptionalAuth,
    run,
)
.exempt()
.shown_in_pages();

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    serving::file(&file(call, call.path_text("path")?)?)
}

/// The file with this path, if the caller has access; `path_id` is the path as stored in the database.
pub(crate) fn file(call: &Call<'_>, path_id: &str) -> Result<AttachmentRow, Failure> {
    let realm_id = RealmId::ONLY;
    Ok(read_file(
        call.db()?,
        call.optional_actor(),
        realm_id,
        path_id,
    )?)
}
