//! PATCH /users/me/subscriptions/muted_topics (docs/protocol/topics.md#mute_topic, deprecated).

use spindle_actions::personal::{TopicMute, mute_topic};
use spindle_domain::ChannelId;
use spindle_domain::narrow::ChannelReference;
use spindle_guest::{Call, Failure, Guard, Operation, Reply};
use spindle_wire::{ApiError, Params};

pub(crate) const OPERATION: Operation = Operation::patch(
    "mute-topic",
    "/api/v1/users/me/subscriptions/muted_topics",
    Guard::User,
    run,
);

const OPS: &[(&str, bool)] = &[("add", true), ("remove", false)];

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let input = parameters(&call.params)?;
    mute_topic(call.db()?, call.actor()?, call.now(), input)?;
    Ok(spindle_wire::Reply::empty().into())
}

fn parameters(params: &Params<'_>) -> Result<TopicMute, ApiError> {
    let stream_id: Option<ChannelId> = params.optional("stream_id")?;
    let name = params.optional_text("stream");
    let topic = params.required_text("topic")?.to_owned();
    let muted = params
        .optional_enum("op", OPS)?
        .ok_or_else(|| ApiError::variable_missing("op"))?;
    let channel = match (stream_id, name) {
        (Some(_), Some(_)) => {
            return Err(ApiError::incompatible_parameters(&["stream_id", "stream"]));
        }
        (Some(id), None) => ChannelReference::Id(id),
        (None, Some(name)) => ChannelReference::Name(name.trim().to_owned()),
        (None, None) => return Err(ApiError::variable_missing("stream_id")),
    };
    Ok(TopicMute {
        channel,
        topic,
        muted,
    })
}
