//! GET /calls/bigbluebutton/create: a BigBlueButton video call. This server cannot be configured with
//! one, so the operation always fails; clients call it wherever they offer calls.

use spindle_guest::{Call, Failure, Guard, Operation, Reply};
use spindle_wire::ApiError;

pub(crate) const OPERATION: Operation = Operation::get(
    "create-bigbluebutton-call",
    "/api/v1/calls/bigbluebutton/create",
    Guard::User,
    run,
);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    call.params.required_text("meeting_name")?;
    let _: Option<bool> = call.params.optional("voice_only")?;
    Err(ApiError::bad_request("BigBlueButton is not configured on this server").into())
}
