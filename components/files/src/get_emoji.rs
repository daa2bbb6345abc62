//! GET /realm/emoji: all custom emoji, deactivated ones included.

use spindle_actions::organization::list_emoji;
use spindle_guest::{Call, Failure, Guard, Operation, Reply};

pub(crate) const OPERATION: Operation =
    Operation::get("get-emoji", "/api/v1/realm/emoji", Guard::User, run);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let table = list_emoji(call.db()?, call.actor()?)?;
    Ok(spindle_wire::Reply::raw_value("emoji", table).into())
}
