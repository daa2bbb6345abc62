//! DELETE /drafts/{draft_id} (docs/protocol/personal.md#delete_draft).

use spindle_actions::personal::delete_draft;
use spindle_guest::{Call, Failure, Guard, Operation, Reply, Scope};

pub(crate) const OPERATION: Operation = Operation::delete(
    "delete-draft",
    "/api/v1/drafts/{draft_id}",
    Guard::User,
    run,
)
.needing(Scope::Send);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let id = call.path_id("draft_id")?;
    delete_draft(call.db()?, call.actor()?, call.now(), id)?;
    Ok(spindle_wire::Reply::empty().into())
}
