//! POST /saved_snippets (docs/protocol/personal.md#create_saved_snippet).

use spindle_actions::personal::add_saved_snippet;
use spindle_guest::{Call, Failure, Guard, Operation, Reply};

pub(crate) const OPERATION: Operation = Operation::post(
    "create-saved-snippet",
    "/api/v1/saved_snippets",
    Guard::User,
    run,
);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let content = call.params.required_text("content")?;
    let title = call.params.required_text("title")?;
    let id = add_saved_snippet(call.db()?, call.actor()?, call.now(), title, content)?;
    Ok(spindle_wire::Reply::empty()
        .field("saved_snippet_id", &id)?
        .into())
}
