//! POST /submessage (docs/protocol/messages.md#send_submessage).

use spindle_actions::messages::send_submessage;
use spindle_domain::MessageId;
use spindle_domain::widget::WIDGET;
use spindle_guest::{Call, Failure, Guard, Operation, Reply, Scope};
use spindle_wire::ApiError;

pub(crate) const OPERATION: Operation =
    Operation::post("send-submessage", "/api/v1/submessage", Guard::User, run).needing(Scope::Send);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let params = &call.params;
    let message_id = MessageId(params.required("message_id")?);
    params
        .optional_enum("msg_type", &[(WIDGET, ())])?
        .ok_or_else(|| ApiError::variable_missing("msg_type"))?;
    let content = params.required_text("content")?;
    send_submessage(call.db()?, call.actor()?, call.now(), message_id, content)?;
    Ok(spindle_wire::Reply::empty().into())
}
