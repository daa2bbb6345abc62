//! GET /saved_snippets (docs/protocol/personal.md#get_saved_snippets).

use spindle_actions::personal::list_saved_snippets;
use spindle_guest::{Call, Failure, Guard, Operation, Reply};

pub(crate) const OPERATION: Operation = Operation::get(
    "get-saved-snippets",
    "/api/v1/saved_snippets",
    Guard::User,
    run,
);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let list = list_saved_snippets(call.db()?, call.actor()?)?;
    Ok(spindle_wire::Reply::raw_value("saved_snippets", list).into())
}
