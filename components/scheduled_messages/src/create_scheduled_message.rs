//! POST /scheduled_messages (docs/protocol/scheduled.md#create_scheduled_message).

use spindle_actions::messages::Destination;
use spindle_actions::scheduled::{ScheduledInput, create_scheduled_message};
use spindle_domain::narrow::{ChannelReference, UserReference};
use spindle_domain::{ChannelId, UserId};
use spindle_guest::{Call, Failure, Guard, Operation, Reply, Scope};
use spindle_wire::{ApiError, Params};

use crate::kind::KINDS;

pub(crate) const OPERATION: Operation = Operation::post(
    "create-scheduled-message",
    "/api/v1/scheduled_messages",
    Guard::User,
    run,
)
.needing(Scope::Send);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let params = &call.params;
    let content = params.required_text("content")?.to_owned();
    let read_by_sender = params.optional("read_by_sender")?;
    let deliver_at = params.required("scheduled_delivery_timestamp")?;
    let input = ScheduledInput {
        destination: destination(params)?,
        content,
        deliver_at,
        read_by_sender,
        client: call.client_name(),
        realm_url: call.site().to_owned(),
    };
    let id = create_scheduled_message(call.db()?, call.actor()?, call.now(), &input)?;
    Ok(spindle_wire::Reply::empty()
        .field("scheduled_message_id", &id)?
        .into())
}

fn destination(params: &Params<'_>) -> Result<Destination, ApiError> {
    let topic = params.optional_text("topic").map(str::trim);
    let to_channel = params
        .optional_enum("type", KINDS)?
        .ok_or_else(|| ApiError::variable_missing("type"))?;
    if to_channel {
        return Ok(Destination::Channel {
            channel: ChannelReference::Id(ChannelId(params.required("to")?)),
            topic: topic.ok_or_else(ApiError::missing_topic)?.to_owned(),
        });
    }
    let ids: Vec<i64> = params.required("to")?;
    let people = ids.into_iter().map(|id| UserReference::Id(UserId(id)));
    Ok(Destination::Direct(people.collect()))
}
