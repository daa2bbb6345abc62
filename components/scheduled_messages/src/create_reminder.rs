//! POST /reminders (docs/protocol/scheduled.md#create_reminder).

use spindle_actions::scheduled::{ReminderInput, create_reminder};
use spindle_domain::MessageId;
use spindle_guest::{Call, Failure, Guard, Operation, Reply, Scope};

pub(crate) const OPERATION: Operation =
    Operation::post("create-reminder", "/api/v1/reminders", Guard::User, run).needing(Scope::Send);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let params = &call.params;
    let message_id = MessageId(params.required("message_id")?);
    let note = params.optional_text("note").map(str::to_owned);
    let input = ReminderInput {
        message_id,
        note,
        deliver_at: params.required("scheduled_delivery_timestamp")?,
        realm_url: call.site().to_owned(),
    };
    let id = create_reminder(call.db()?, call.actor()?, call.now(), &input)?;
    Ok(spindle_wire::Reply::empty()
        .field("reminder_id", &id)?
        .into())
}
