//! POST /user_topics (docs/protocol/topics.md#set_user_topic).

use spindle_actions::personal::{TopicPolicyInput, set_user_topic};
use spindle_domain::narrow::ChannelReference;
use spindle_domain::{ChannelId, VisibilityPolicy};
use spindle_guest::{Call, Failure, Guard, Operation, Reply};
use spindle_wire::{ApiError, Params};

pub(crate) const OPERATION: Operation =
    Operation::post("set-user-topic", "/api/v1/user_topics", Guard::User, run);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let input = parameters(&call.params)?;
    set_user_topic(call.db()?, call.actor()?, call.now(), &input)?;
    Ok(spindle_wire::Reply::empty().into())
}

fn parameters(params: &Params<'_>) -> Result<TopicPolicyInput, ApiError> {
    let stream_id: ChannelId = params.required("stream_id")?;
    let topic = params.required_text("topic")?.to_owned();
    let policy: i64 = params.required("visibility_policy")?;
    let policy = VisibilityPolicy::from_i64(policy)
        .ok_or_else(|| ApiError::bad_parameter("visibility_policy", "expected 0, 1, 2 or 3"))?;
    Ok(TopicPolicyInput {
        channel: ChannelReference::Id(stream_id),
        topic,
        policy,
    })
}
