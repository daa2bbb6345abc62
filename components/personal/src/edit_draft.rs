//! PATCH /drafts/{draft_id} (docs/protocol/personal.md#edit_draft).

use spindle_actions::personal::edit_draft;
use spindle_guest::{Call, Failure, Guard, Operation, Reply, Scope};

use crate::draft_params::DraftParam;

pub(crate) const OPERATION: Operation =
    Operation::patch("edit-draft", "/api/v1/drafts/{draft_id}", Guard::User, run)
        .needing(Scope::Send);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let id = call.path_id("draft_id")?;
    let draft: DraftParam = call.params.required("draft")?;
    edit_draft(call.db()?, call.actor()?, call.now(), id, &draft.into())?;
    Ok(spindle_wire::Reply::empty().into())
}
