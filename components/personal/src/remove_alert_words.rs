//! DELETE /users/me/alert_words (docs/protocol/personal.md#remove_alert_words).

use spindle_actions::personal::remove_alert_words;
use spindle_guest::{Call, Failure, Guard, Operation, Reply};

pub(crate) const OPERATION: Operation = Operation::delete(
    "remove-alert-words",
    "/api/v1/users/me/alert_words",
    Guard::User,
    run,
);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let words: Vec<String> = call.params.required("alert_words")?;
    let list = remove_alert_words(call.db()?, call.actor()?, call.now(), &words)?;
    Ok(spindle_wire::Reply::raw_value("alert_words", list).into())
}
