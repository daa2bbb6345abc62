//! DELETE /api_keys/{key_id} (docs/protocol/sessions.md#end_api_key).

use spindle_actions::account::end_api_key;
use spindle_guest::{Call, Failure, Guard, Operation, Reply, Scope};

pub(crate) const OPERATION: Operation = Operation::delete(
    "end-api-key",
    "/api/v1/api_keys/{key_id}",
    Guard::Human,
    run,
)
.needing(Scope::Account);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let key_id = call.path_id("key_id")?;
    end_api_key(call.db()?, call.actor()?, call.now(), key_id)?;
    Ok(spindle_wire::Reply::empty().into())
}
