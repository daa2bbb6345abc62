//! GET /api_keys (docs/protocol/sessions.md#get_api_keys).

use spindle_actions::account::list_api_keys;
use spindle_guest::{Call, Failure, Guard, Operation, Reply, Scope};

pub(crate) const OPERATION: Operation =
    Operation::get("get-api-keys", "/api/v1/api_keys", Guard::Human, run).needing(Scope::Account);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let keys = list_api_keys(call.db()?, call.actor()?, call.now())?;
    Ok(spindle_wire::Reply::empty()
        .field("api_keys", &keys)?
        .into())
}
