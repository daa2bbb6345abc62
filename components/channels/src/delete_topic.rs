//! POST /streams/{stream_id}/delete_topic (docs/protocol/topics.md#delete_topic). Clients repeat
//! the call until it returns `complete`.

use spindle_actions::messages::delete_topic;
use spindle_domain::narrow::ChannelReference;
use spindle_guest::{Call, Failure, Guard, Operation, Reply};

pub(crate) const OPERATION: Operation = Operation::post(
    "delete-topic",
    "/api/v1/streams/{stream_id}/delete_topic",
    Guard::User,
    run,
);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let channel = ChannelReference::Id(call.path_id("stream_id")?);
    let topic = call.params.required_text("topic_name")?;
    let complete = delete_topic(call.db()?, call.actor()?, call.now(), &channel, topic)?;
    let reply = spindle_wire::Reply::empty().field("complete", &complete)?;
    Ok(reply.into())
}
