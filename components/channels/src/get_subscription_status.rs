//! GET /users/{user_id}/subscriptions/{stream_id}
//! (docs/protocol/subscriptions.md#get_subscription_status).

use spindle_actions::channels::get_subscription_status;
use spindle_domain::{ChannelId, UserId};
use spindle_guest::{Call, Failure, Guard, Operation, Reply};

pub(crate) const OPERATION: Operation = Operation::get(
    "get-subscription-status",
    "/api/v1/users/{user_id}/subscriptions/{stream_id}",
    Guard::User,
    run,
);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let user_id: UserId = call.path_id("user_id")?;
    let channel_id: ChannelId = call.path_id("stream_id")?;
    let is_subscribed = get_subscription_status(call.db()?, call.actor()?, user_id, channel_id)?;
    Ok(spindle_wire::Reply::empty()
        .field("is_subscribed", &is_subscribed)?
        .into())
}
