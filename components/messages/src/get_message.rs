//! GET /messages/{message_id} (docs/protocol/messages.md#get_message).

use spindle_actions::messages::{MessageForm, get_message};
use spindle_domain::MessageId;
use spindle_guest::{Call, Failure, Guard, Operation, Reply};

use crate::empty_topic;

pub(crate) const OPERATION: Operation = Operation::get(
    "get-message",
    "/api/v1/messages/{message_id}",
    Guard::User,
    run,
);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let message_id: MessageId = call.path_id("message_id")?;
    let allow_empty_topic_name = call.params.optional("allow_empty_topic_name")?;
    let form = MessageForm {
        apply_markdown: call.params.optional("apply_markdown")?.unwrap_or(true),
        // A single message is displayed immediately, so its avatar is always included.
        client_gravatar: false,
        empty_topic: empty_topic(allow_empty_topic_name.unwrap_or(false)),
    };
    let found = get_message(call.db()?, call.actor()?, message_id, &form)?;
    let reply = spindle_wire::Reply::empty()
        .field("message", &found.message)?
        .field("raw_content", &found.raw_content)?;
    Ok(reply.into())
}
