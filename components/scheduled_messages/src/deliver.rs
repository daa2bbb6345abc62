//! POST /internal/deliver_scheduled_messages: what is due is sent, reminders are delivered.
//!
//! Called by a timer of the host. A repeated call finds nothing left to do.

use spindle_actions::{deliver_reminders, deliver_scheduled_messages};
use spindle_guest::{Call, Failure, Guard, Operation, Reply};

pub(crate) const OPERATION: Operation = Operation::post(
    "deliver-scheduled-messages",
    "/internal/deliver_scheduled_messages",
    Guard::Internal,
    run,
);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let messages = deliver_scheduled_messages(call.db()?, call.now())?;
    let reminders = deliver_reminders(call.db()?, call.now())?;
    Ok(spindle_wire::Reply::empty()
        .field("delivered", &(messages + reminders))?
        .into())
}
