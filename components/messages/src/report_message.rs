//! POST /messages/{message_id}/report (docs/protocol/messages.md#report_message).

use spindle_actions::messages::{REPORT_TYPES, Report, report_message};
use spindle_domain::MessageId;
use spindle_guest::{Call, Failure, Guard, Operation, Reply, Scope};
use spindle_wire::ApiError;

pub(crate) const OPERATION: Operation = Operation::post(
    "report-message",
    "/api/v1/messages/{message_id}/report",
    Guard::User,
    run,
)
.needing(Scope::Send);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let message_id: MessageId = call.path_id("message_id")?;
    let description = call.params.optional_text("description").unwrap_or_default();
    let kinds = REPORT_TYPES.map(|(name, _)| (name, name));
    let report_type = call
        .params
        .optional_enum("report_type", &kinds)?
        .ok_or_else(|| ApiError::variable_missing("report_type"))?;
    let report = Report {
        report_type: report_type.to_owned(),
        description: description.to_owned(),
    };
    report_message(call.db()?, call.actor()?, call.now(), message_id, &report)?;
    Ok(spindle_wire::Reply::empty().into())
}
