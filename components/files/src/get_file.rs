//! GET /user_uploads/{realm_id}/...: an uploaded file, for those who may read a message that
//! names it.

use crate::serving;
use spindle_actions::{AttachmentRow, read_file};
use spindle_domain::RealmId;
use spindle_guest::{Call, Failure, Guard, Operation, Reply};

pub(crate) const OPERATION: Operation = Operation::get(
    "get-file",
    "/user_uploads/{realm_id}/{random}/{file_name}",
    Guard::OptionalAuth,
    run,
)
.exempt();

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    serving::file(&file(call)?)
}

/// The file that the path names, if the caller may have it.
pub(crate) fn file(call: &Call<'_>) -> Result<AttachmentRow, Failure> {
    let path_id = path_id(call)?;
    let actor = call.optional_actor();
    let realm_id = RealmId::ONLY.get();
    Ok(read_file(call.db()?, actor, realm_id, &path_id)?)
}

/// The path as it stands in rows.
pub(crate) fn path_id(call: &Call<'_>) -> Result<String, Failure> {
    let realm_id = call.path_id("realm_id")?;
    let (random, name) = (call.path_text("random")?, call.path_text("file_name")?);
    Ok(format!("{realm_id}/{random}/{name}"))
}
