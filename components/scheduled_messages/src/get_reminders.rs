//! GET /reminders (docs/protocol/scheduled.md#get_reminders).

use spindle_actions::scheduled::list_reminders;
use spindle_guest::{Call, Failure, Guard, Operation, Reply};

pub(crate) const OPERATION: Operation =
    Operation::get("get-reminders", "/api/v1/reminders", Guard::User, run);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let list = list_reminders(call.db()?, call.actor()?)?;
    Ok(spindle_wire::Reply::raw_value("reminders", list).into())
}
