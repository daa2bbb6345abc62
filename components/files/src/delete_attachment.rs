//! DELETE /attachments/{attachment_id} (docs/protocol/files.md#delete_attachment): one of the
//! caller's own files.

use spindle_actions::files::delete_attachment;
use spindle_guest::{Call, Failure, Guard, Operation, Reply, Scope};

pub(crate) const OPERATION: Operation = Operation::delete(
    "delete-attachment",
    "/api/v1/attachments/{attachment_id}",
    Guard::User,
    run,
)
.needing(Scope::Send);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let id = call.path_id("attachment_id")?;
    delete_attachment(call.db()?, call.actor()?, call.now(), id)?;
    Ok(spindle_wire::Reply::empty().into())
}
