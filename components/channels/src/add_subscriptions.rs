//! POST /users/me/subscriptions (docs/protocol/subscriptions.md#add_subscriptions).

use spindle_actions::channels::{AddSubscriptionsInput, ChannelRequest, add_subscriptions};
use spindle_guest::{Call, Failure, Guard, Operation, Reply};
use spindle_wire::{ApiError, Params};

use crate::channel_params::properties;
use crate::subscription_params::{Wish, principals};

pub(crate) const OPERATION: Operation = Operation::post(
    "add-subscriptions",
    "/api/v1/users/me/subscriptions",
    Guard::User,
    run,
);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let params = &call.params;
    let input = parameters(params, call.site().to_owned())?;
    let added = add_subscriptions(call.db()?, call.actor()?, call.now(), &input)?;
    let mut reply = spindle_wire::Reply::empty()
        .field("subscribed", &added.subscribed)?
        .field("already_subscribed", &added.already_subscribed)?;
    if !input.authorization_errors_fatal {
        reply = reply.field("unauthorized", &added.unauthorized)?;
    }
    if let Some(sent) = added.new_subscription_messages_sent {
        reply = reply.field("new_subscription_messages_sent", &sent)?;
    }
    Ok(reply.into())
}

fn parameters(params: &Params<'_>, realm_url: String) -> Result<AddSubscriptionsInput, ApiError> {
    let wishes: Vec<Wish> = params.required("subscriptions")?;
    Ok(AddSubscriptionsInput {
        subscriptions: wishes.into_iter().map(ChannelRequest::from).collect(),
        authorization_errors_fatal: params
            .optional("authorization_errors_fatal")?
            .unwrap_or(true),
        principals: principals(params)?,
        properties: properties(params, realm_url)?,
        announce: params.optional("announce")?.unwrap_or(false),
        send_new_subscription_messages: params
            .optional("send_new_subscription_messages")?
            .unwrap_or(true),
    })
}
