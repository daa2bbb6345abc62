//! POST /channels/create (docs/protocol/channels.md#create_channel, FL 417).

use spindle_actions::channels::{NewChannelInput, create_channel};
use spindle_domain::UserId;
use spindle_domain::narrow::UserReference;
use spindle_guest::{Call, Failure, Guard, Operation, Reply};
use spindle_wire::{ApiError, Params};

use crate::channel_params::properties;

pub(crate) const OPERATION: Operation = Operation::post(
    "create-channel",
    "/api/v1/channels/create",
    Guard::User,
    run,
);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let params = &call.params;
    let input = parameters(params, call.site().to_owned())?;
    // The parameter concerns existing channels only.
    let _wants_messages: Option<bool> = params.optional("send_new_subscription_messages")?;
    let id = create_channel(call.db()?, call.actor()?, call.now(), &input)?;
    let reply = spindle_wire::Reply::empty().field("id", &id)?;
    Ok(reply.into())
}

fn parameters(params: &Params<'_>, realm_url: String) -> Result<NewChannelInput, ApiError> {
    let name = params.required_text("name")?.to_owned();
    let subscribers: Vec<i64> = params.required("subscribers")?;
    Ok(NewChannelInput {
        name,
        description: params
            .optional_text("description")
            .unwrap_or_default()
            .to_owned(),
        subscribers: subscribers
            .into_iter()
            .map(|id| UserReference::Id(UserId(id)))
            .collect(),
        properties: properties(params, realm_url)?,
        announce: params.optional("announce")?.unwrap_or(false),
    })
}
