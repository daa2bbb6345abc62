//! DELETE /saved_snippets/{saved_snippet_id} (docs/protocol/personal.md#delete_saved_snippet).

use spindle_actions::personal::delete_saved_snippet;
use spindle_guest::{Call, Failure, Guard, Operation, Reply};

pub(crate) const OPERATION: Operation = Operation::delete(
    "delete-saved-snippet",
    "/api/v1/saved_snippets/{saved_snippet_id}",
    Guard::User,
    run,
);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let id = call.path_id("saved_snippet_id")?;
    delete_saved_snippet(call.db()?, call.actor()?, call.now(), id)?;
    Ok(spindle_wire::Reply::empty().into())
}
