//! GET /attachments (docs/protocol/files.md#get_attachments): the caller's own files.

use spindle_actions::files::list_attachments;
use spindle_guest::{Call, Failure, Guard, Operation, Reply};

pub(crate) const OPERATION: Operation =
    Operation::get("get-attachments", "/api/v1/attachments", Guard::User, run);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let files = list_attachments(call.db()?, call.actor()?)?;
    let reply = spindle_wire::Reply::raw_value("attachments", files.records)
        .field("upload_space_used", &files.upload_space_used)?;
    Ok(reply.into())
}
