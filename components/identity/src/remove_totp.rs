//! DELETE /second_factor/totp (docs/protocol/second-factor.md#remove_totp).

use spindle_actions::account::remove_totp;
use spindle_guest::{Attempts, Call, Failure, Guard, Operation, Reply, Scope};

pub(crate) const OPERATION: Operation = Operation::delete(
    "remove-totp",
    "/api/v1/second_factor/totp",
    Guard::Human,
    run,
)
.counting_attempts(Attempts::Own("code"))
.needing(Scope::Account);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let site = call.external_url();
    let factor = call.required_factor(&site)?;
    remove_totp(call.db()?, call.actor()?, call.now(), factor)?;
    Ok(spindle_wire::Reply::empty().into())
}
