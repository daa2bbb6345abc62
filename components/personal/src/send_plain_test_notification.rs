//! POST /mobile_push/test_notification (feature level 217): the form before encryption. No plain
//! notification is ever sent, so it only says what is missing.

use spindle_actions::test_plain_notification;
use spindle_guest::{Call, Failure, Guard, Operation, Reply};

pub(crate) const OPERATION: Operation = Operation::post(
    "send-plain-test-notification",
    "/api/v1/mobile_push/test_notification",
    Guard::Human,
    run,
);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    // The token of one phone; without it, all are meant.
    call.params.optional_text("token");
    test_plain_notification(call.db()?, call.actor()?)?;
    Ok(spindle_wire::Reply::empty().into())
}
