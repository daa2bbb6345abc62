//! GET /user_avatars/exports/{realm_id}/{secret}/{file_name}: the archive of an export.
//!
//! The secret URL itself grants access (docs/protocol/archive.md#package), except to full exports,
//! which require the credentials of an owner.

use spindle_actions::exports::find_archive;
use spindle_domain::RealmId;
use spindle_guest::{Call, Failure, Guard, Operation, Reply};

use crate::serving;

pub(crate) const OPERATION: Operation = Operation::get(
    "get-export-archive",
    "/user_avatars/exports/{realm_id}/{secret}/{file_name}",
    Guard::OptionalAuth,
    run,
)
.exempt()
.shown_in_pages();

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let realm_id: RealmId = call.path_id("realm_id")?;
    let (secret, file_name) = (call.path_text("secret")?, call.path_text("file_name")?);
    let path = format!("{realm_id}/{secret}/{file_name}");
    let key = find_archive(call.db()?, call.optional_actor(), &path)?;
    Ok(serving::archive(key))
}
