//! GET /bots/{bot_id}/api_key (docs/protocol/bots.md#get_bot_api_key): refused, as only hashes of
//! keys are kept.

use spindle_actions::users::refuse_bot_key;
use spindle_domain::UserId;
use spindle_guest::{Call, Failure, Guard, Operation, Reply, Scope};

pub(crate) const OPERATION: Operation = Operation::get(
    "get-bot-api-key",
    "/api/v1/bots/{bot_id}/api_key",
    Guard::NotGuest,
    run,
)
.needing(Scope::Account);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let bot_id: UserId = call.path_id("bot_id")?;
    refuse_bot_key(call.db()?, call.actor()?, call.now(), bot_id)?;
    Ok(spindle_wire::Reply::empty().into())
}
