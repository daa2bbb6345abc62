//! DELETE /tus/{upload}: cancels an upload.

use bytes::Bytes;
use http::StatusCode;
use spindle_actions::files::cancel_resumable_upload;
use spindle_guest::{BlobWork, Call, Failure, Guard, Operation, Reply, Scope};
use spindle_wire::Response;

use crate::resumable;

pub(crate) const OPERATION: Operation =
    Operation::delete("cancel-upload", "/api/v1/tus/{upload}", Guard::User, run)
        .with_headers(resumable::HEADERS)
        .needing(Scope::Send);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    resumable::check_version(call)?;
    let id = call.path_text("upload")?;
    let delete = cancel_resumable_upload(call.db()?, call.actor()?, call.now(), id)?;
    Ok(Reply::BlobWork(BlobWork {
        put: Vec::new(),
        delete,
        then: Box::new(|_, _| {
            let mut answer = Response::new(Bytes::new());
            *answer.status_mut() = StatusCode::NO_CONTENT;
            Ok(Reply::Whole(answer))
        }),
    }))
}
