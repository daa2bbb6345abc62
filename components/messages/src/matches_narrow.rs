//! GET /messages/matches_narrow (docs/protocol/narrow.md#matches_narrow).

use spindle_actions::EMPTY_TOPIC_DISPLAY_NAME;
use spindle_actions::messages::matches_narrow;
use spindle_domain::MessageId;
use spindle_guest::{Call, Failure, Guard, Operation, Reply};
use spindle_wire::{ApiError, RawFields, narrow};

pub(crate) const OPERATION: Operation = Operation::get(
    "matches-narrow",
    "/api/v1/messages/matches_narrow",
    Guard::User,
    run,
);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let ids: Vec<MessageId> = call.params.required("msg_ids")?;
    let narrow = narrow::parse(call.params.required_text("narrow")?)?;
    // This operation has no parameter to declare support for the empty topic.
    let found = matches_narrow(
        call.db()?,
        call.actor()?,
        &ids,
        &narrow,
        EMPTY_TOPIC_DISPLAY_NAME,
    )?;
    // A field of a reply would be copied.
    let mut fields = serde_json::to_string(&found).map_err(|_| ApiError::internal())?;
    fields.insert_str(0, "\"messages\":");
    Ok(spindle_wire::Reply::raw(RawFields(fields)).into())
}
