//! GET /users/me/{stream_id}/topics (docs/protocol/topics.md#get_topics).

use spindle_actions::messages::list_topics;
use spindle_domain::ChannelId;
use spindle_guest::{Call, Failure, Guard, Operation, Reply};

use crate::empty_topic;

pub(crate) const OPERATION: Operation = Operation::get(
    "get-topics",
    "/api/v1/users/me/{stream_id}/topics",
    Guard::User,
    run,
);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let channel_id: ChannelId = call.path_id("stream_id")?;
    let allow_empty_topic_name = call.params.optional("allow_empty_topic_name")?;
    let empty_topic = empty_topic(allow_empty_topic_name.unwrap_or(false));
    let topics = list_topics(call.db()?, call.actor()?, channel_id, empty_topic)?;
    Ok(spindle_wire::Reply::raw_value("topics", topics).into())
}
