//! POST /mark_topic_as_read (docs/protocol/flags.md#mark_topic_as_read).

use spindle_actions::messages::mark_topic_as_read;
use spindle_domain::ChannelId;
use spindle_guest::{Call, Failure, Guard, Operation, Reply, Scope};

pub(crate) const OPERATION: Operation = Operation::post(
    "mark-topic-as-read",
    "/api/v1/mark_topic_as_read",
    Guard::User,
    run,
)
.needing(Scope::Send);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let channel_id = ChannelId(call.params.required("stream_id")?);
    let topic = call.params.required_text("topic_name")?;
    mark_topic_as_read(call.db()?, call.actor()?, call.now(), channel_id, topic)?;
    Ok(spindle_wire::Reply::empty().into())
}
