//! DELETE /reminders/{reminder_id} (docs/protocol/scheduled.md#delete_reminder).

use spindle_actions::scheduled::delete_reminder;
use spindle_domain::ReminderId;
use spindle_guest::{Call, Failure, Guard, Operation, Reply, Scope};

pub(crate) const OPERATION: Operation = Operation::delete(
    "delete-reminder",
    "/api/v1/reminders/{reminder_id}",
    Guard::User,
    run,
)
.needing(Scope::Send);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let id: ReminderId = call.path_id("reminder_id")?;
    delete_reminder(call.db()?, call.actor()?, call.now(), id)?;
    Ok(spindle_wire::Reply::empty().into())
}
