//! DELETE /users/me/subscriptions (docs/protocol/subscriptions.md#remove_subscriptions).

use spindle_actions::channels::{RemoveSubscriptionsInput, remove_subscriptions};
use spindle_guest::{Call, Failure, Guard, Operation, Reply};

use crate::subscription_params::principals;

pub(crate) const OPERATION: Operation = Operation::delete(
    "remove-subscriptions",
    "/api/v1/users/me/subscriptions",
    Guard::User,
    run,
);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let input = RemoveSubscriptionsInput {
        subscriptions: call.params.required("subscriptions")?,
        principals: principals(&call.params)?,
    };
    let removed = remove_subscriptions(call.db()?, call.actor()?, call.now(), &input)?;
    Ok(spindle_wire::Reply::empty()
        .field("removed", &removed.removed)?
        .field("not_removed", &removed.not_removed)?
        .into())
}
