//! PATCH /users/me/subscriptions (docs/protocol/subscriptions.md#change_subscriptions).

use spindle_actions::channels::{ChannelRequest, change_subscriptions};
use spindle_guest::{Call, Failure, Guard, Operation, Reply};

use crate::subscription_params::Wish;

pub(crate) const OPERATION: Operation = Operation::patch(
    "change-subscriptions",
    "/api/v1/users/me/subscriptions",
    Guard::User,
    run,
);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let add: Vec<Wish> = call.params.optional("add")?.unwrap_or_default();
    let delete: Vec<String> = call.params.optional("delete")?.unwrap_or_default();
    let add = add.into_iter().map(ChannelRequest::from).collect();
    let (added, removed) = change_subscriptions(
        call.db()?,
        call.actor()?,
        call.now(),
        add,
        &delete,
        call.site().to_owned(),
    )?;
    Ok(spindle_wire::Reply::empty()
        .field("subscribed", &added.subscribed)?
        .field("already_subscribed", &added.already_subscribed)?
        .field("removed", &removed.removed)?
        .field("not_removed", &removed.not_removed)?
        .into())
}
