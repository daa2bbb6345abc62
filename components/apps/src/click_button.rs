//! POST /messages/{message_id}/click (docs/protocol/apps.md#click_button).

use spindle_actions::apps::click_button;
use spindle_domain::MessageId;
use spindle_guest::{Call, Failure, Guard, Operation, Reply, Scope};

pub(crate) const OPERATION: Operation = Operation::post(
    "click-button",
    "/api/v1/messages/{message_id}/click",
    Guard::Human,
    run,
)
.needing(Scope::Send);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let message_id: MessageId = call.path_id("message_id")?;
    let button = call.params.required_text("button")?;
    click_button(call.db()?, call.actor()?, call.now(), message_id, button)?;
    Ok(spindle_wire::Reply::empty().into())
}
