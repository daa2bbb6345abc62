//! POST /users/me/alert_words (docs/protocol/personal.md#add_alert_words).

use spindle_actions::personal::add_alert_words;
use spindle_guest::{Call, Failure, Guard, Operation, Reply};

pub(crate) const OPERATION: Operation = Operation::post(
    "add-alert-words",
    "/api/v1/users/me/alert_words",
    Guard::User,
    run,
);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let words: Vec<String> = call.params.required("alert_words")?;
    let list = add_alert_words(call.db()?, call.actor()?, call.now(), &words)?;
    Ok(spindle_wire::Reply::raw_value("alert_words", list).into())
}
