//! POST /messages/render (docs/protocol/messages.md#render_message).

use spindle_actions::messages::render_message;
use spindle_guest::{Call, Failure, Guard, Operation, Reply, Scope};

pub(crate) const OPERATION: Operation = Operation::post(
    "render-message",
    "/api/v1/messages/render",
    Guard::User,
    run,
)
.needing(Scope::Read);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let content = call.params.required_text("content")?;
    let rendered = render_message(call.db()?, call.actor()?, content, call.site())?;
    let reply = spindle_wire::Reply::empty().field("rendered", &rendered)?;
    Ok(reply.into())
}
