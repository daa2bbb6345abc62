//! DELETE /second_factor/passkeys/{passkey_id} (docs/protocol/second-factor.md#remove_passkey).

use spindle_actions::account::remove_passkey;
use spindle_guest::{Attempts, Call, Failure, Guard, Operation, Reply, Scope};

pub(crate) const OPERATION: Operation = Operation::delete(
    "remove-passkey",
    "/api/v1/second_factor/passkeys/{passkey_id}",
    Guard::Human,
    run,
)
.counting_attempts(Attempts::Own("code"))
.needing(Scope::Account);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let passkey_id = call.path_id("passkey_id")?;
    let site = call.external_url();
    let factor = call.required_factor(&site)?;
    remove_passkey(call.db()?, call.actor()?, call.now(), passkey_id, factor)?;
    Ok(spindle_wire::Reply::empty().into())
}
