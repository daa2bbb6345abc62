//! GET /messages/matches_narrow (docs/protocol/narrow.md#matches_narrow).

use spindle_actions::{EMPTY_TOPIC_DISPLAY_NAME, matches_narrow};
use spindle_domain::MessageId;
use spindle_guest::{Call, Failure, Guard, Operation, Reply};
use spindle_wire::narrow;

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
    Ok(spindle_wire::Reply::empty()
        .field("messages", &found)?
        .into())
}
