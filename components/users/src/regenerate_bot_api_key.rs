//! POST /bots/{bot_id}/api_key/regenerate (docs/protocol/bots.md#regenerate_bot_api_key).

use spindle_actions::users::regenerate_bot_key;
use spindle_domain::UserId;
use spindle_guest::{Call, Failure, Guard, Operation, Reply, Scope};

pub(crate) const OPERATION: Operation = Operation::post(
    "regenerate-bot-api-key",
    "/api/v1/bots/{bot_id}/api_key/regenerate",
    Guard::NotGuest,
    run,
)
.needing(Scope::Account);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let bot_id: UserId = call.path_id("bot_id")?;
    let key = regenerate_bot_key(call.db()?, call.actor()?, call.now(), bot_id)?;
    Ok(spindle_wire::Reply::empty().field("api_key", &key)?.into())
}
