//! HEAD /tus/{upload}, and GET: the offset of an upload.

use spindle_actions::files::find_resumable_upload;
use spindle_guest::{Call, Failure, Guard, Operation, PartOutcome, PartStep, PartWork, Reply};

use crate::resumable;

pub(crate) const OPERATION: Operation = Operation::get(
    "get-upload-progress",
    "/api/v1/tus/{upload}",
    Guard::User,
    run,
)
.with_headers(resumable::HEADERS);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    resumable::check_version(call)?;
    let id = call.path_text("upload")?;
    let upload = find_resumable_upload(call.db()?, call.actor()?, call.now(), id)?;
    if upload.uploaded.is_some() {
        return resumable::progress(&upload, upload.size);
    }
    let key = upload.blob_key().to_owned();
    Ok(Reply::PartWork(PartWork {
        key,
        step: PartStep::Measure,
        then: Box::new(move |_, _, outcome| match outcome {
            PartOutcome::Length(length) => resumable::progress(&upload, length),
            // No bytes have been received yet.
            PartOutcome::Missing => resumable::progress(&upload, 0),
            _ => Err(Failure::internal(
                "the blob service does not measure a blob",
            )),
        }),
    }))
}
