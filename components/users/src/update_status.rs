//! POST /users/me/status (docs/protocol/presence.md#update_status).

use spindle_actions::users::{StatusInput, set_user_status};
use spindle_guest::{Call, Failure, Guard, Operation, Reply};
use spindle_wire::{ApiError, Params};

pub(crate) const OPERATION: Operation = Operation::post(
    "update-status",
    "/api/v1/users/me/status",
    Guard::Human,
    run,
);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let input = parameters(&call.params)?;
    let actor = call.actor()?;
    set_user_status(call.db()?, actor, call.now(), actor.user_id, &input)?;
    Ok(spindle_wire::Reply::empty().into())
}

/// Only passed parameters change the status, so an absent one differs from an empty one.
pub(crate) fn parameters(params: &Params<'_>) -> Result<StatusInput, ApiError> {
    let text = |name| params.optional_text(name).map(str::to_owned);
    Ok(StatusInput {
        away: params.optional("away")?,
        emoji_code: text("emoji_code"),
        emoji_name: text("emoji_name"),
        reaction_type: text("reaction_type"),
        scheduled_end_time: params.optional("scheduled_end_time")?,
        status_text: text("status_text"),
    })
}
