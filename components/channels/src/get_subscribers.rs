//! GET /streams/{stream_id}/members (docs/protocol/subscriptions.md#get_subscribers).

use spindle_actions::channels::list_subscribers;
use spindle_domain::ChannelId;
use spindle_guest::{Call, Failure, Guard, Operation, Reply};

pub(crate) const OPERATION: Operation = Operation::get(
    "get-subscribers",
    "/api/v1/streams/{stream_id}/members",
    Guard::User,
    run,
);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let channel_id: ChannelId = call.path_id("stream_id")?;
    let subscribers = list_subscribers(call.db()?, call.actor()?, channel_id)?;
    Ok(spindle_wire::Reply::empty()
        .field("subscribers", &subscribers)?
        .into())
}
