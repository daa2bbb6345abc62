//! GET /messages/{message_id}/history (docs/protocol/messages.md#get_message_history).

use spindle_actions::messages::get_message_history;
use spindle_domain::MessageId;
use spindle_guest::{Call, Failure, Guard, Operation, Reply};

use crate::empty_topic;

pub(crate) const OPERATION: Operation = Operation::get(
    "get-message-history",
    "/api/v1/messages/{message_id}/history",
    Guard::User,
    run,
);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let message_id: MessageId = call.path_id("message_id")?;
    let allow = call.params.optional("allow_empty_topic_name")?;
    let empty_topic = empty_topic(allow.unwrap_or(false));
    let history = get_message_history(call.db()?, call.actor()?, message_id, empty_topic)?;
    let reply = spindle_wire::Reply::empty().field("message_history", &history.states)?;
    let reply = match history.is_incomplete {
        true => reply.field("is_incomplete", &true)?,
        false => reply,
    };
    Ok(reply.into())
}
