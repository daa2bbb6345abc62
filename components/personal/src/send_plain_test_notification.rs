//! POST /mobile_push/test_notification (feature level 217): the form before encryption. This server sends
//! no unencrypted notifications, so it always returns an error.

use spindle_actions::push::test_plain_notification;
use spindle_guest::{Call, Failure, Guard, Operation, Reply};

pub(crate) const OPERATION: Operation = Operation::post(
    "send-plain-test-notification",
    "/api/v1/mobile_push/test_notification",
    Guard::Human,
    run,
);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    // The token of one phone; without it, all phones.
    call.params.optional_text("token");
    test_plain_notification(call.db()?, call.actor()?)?;
    Ok(spindle_wire::Reply::empty().into())
}
