//! GET /users/me/alert_words (docs/protocol/personal.md#get_alert_words).

use spindle_actions::personal::list_alert_words;
use spindle_guest::{Call, Failure, Guard, Operation, Reply};

pub(crate) const OPERATION: Operation = Operation::get(
    "get-alert-words",
    "/api/v1/users/me/alert_words",
    Guard::User,
    run,
);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let list = list_alert_words(call.db()?, call.actor()?)?;
    Ok(spindle_wire::Reply::raw_value("alert_words", list).into())
}
