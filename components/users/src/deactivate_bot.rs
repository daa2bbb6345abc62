//! DELETE /bots/{bot_id} (docs/protocol/bots.md#deactivate_bot).

use spindle_actions::users::deactivate_bot;
use spindle_domain::UserId;
use spindle_guest::{Call, Failure, Guard, Operation, Reply};

pub(crate) const OPERATION: Operation = Operation::delete(
    "deactivate-bot",
    "/api/v1/bots/{bot_id}",
    Guard::NotGuest,
    run,
);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let bot_id: UserId = call.path_id("bot_id")?;
    deactivate_bot(call.db()?, call.actor()?, call.now(), bot_id)?;
    Ok(spindle_wire::Reply::empty().into())
}
