//! PATCH /scheduled_messages/{scheduled_message_id}
//! (docs/protocol/scheduled.md#edit_scheduled_message).

use spindle_actions::scheduled::{ScheduledChange, edit_scheduled_message};
use spindle_domain::ScheduledMessageId;
use spindle_guest::{Call, Failure, Guard, Operation, Reply, Scope};

use crate::kind::KINDS;

pub(crate) const OPERATION: Operation = Operation::patch(
    "edit-scheduled-message",
    "/api/v1/scheduled_messages/{scheduled_message_id}",
    Guard::User,
    run,
)
.needing(Scope::Send);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let id: ScheduledMessageId = call.path_id("scheduled_message_id")?;
    let params = &call.params;
    let change = ScheduledChange {
        content: params.optional_text("content").map(str::to_owned),
        deliver_at: params.optional("scheduled_delivery_timestamp")?,
        to: params.optional("to")?,
        topic: params
            .optional_text("topic")
            .map(|topic| topic.trim().to_owned()),
        to_channel: params.optional_enum("type", KINDS)?,
        client: call.client_name(),
        realm_url: call.site().to_owned(),
    };
    edit_scheduled_message(call.db()?, call.actor()?, call.now(), id, &change)?;
    Ok(spindle_wire::Reply::empty().into())
}
