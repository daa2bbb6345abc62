//! GET /users/{user_id}/channels (docs/protocol/subscriptions.md#get_user_channels, FL 440).

use spindle_actions::channels::list_channels_of_user;
use spindle_domain::UserId;
use spindle_guest::{Call, Failure, Guard, Operation, Reply};

pub(crate) const OPERATION: Operation = Operation::get(
    "get-user-channels",
    "/api/v1/users/{user_id}/channels",
    Guard::User,
    run,
);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let user_id: UserId = call.path_id("user_id")?;
    let ids = list_channels_of_user(call.db()?, call.actor()?, call.now(), user_id)?;
    Ok(spindle_wire::Reply::raw_value("subscribed_channel_ids", ids).into())
}
