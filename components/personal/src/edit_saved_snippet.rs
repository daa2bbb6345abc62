//! PATCH /saved_snippets/{saved_snippet_id} (docs/protocol/personal.md#edit_saved_snippet).

use spindle_actions::personal::edit_saved_snippet;
use spindle_guest::{Call, Failure, Guard, Operation, Reply};

pub(crate) const OPERATION: Operation = Operation::patch(
    "edit-saved-snippet",
    "/api/v1/saved_snippets/{saved_snippet_id}",
    Guard::User,
    run,
);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let id = call.path_id("saved_snippet_id")?;
    let content = call.params.optional_text("content");
    let title = call.params.optional_text("title");
    edit_saved_snippet(call.db()?, call.actor()?, call.now(), id, title, content)?;
    Ok(spindle_wire::Reply::empty().into())
}
