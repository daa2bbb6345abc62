//! POST /second_factor/recovery_codes (docs/protocol/second-factor.md#renew_recovery_codes).

use serde_json::json;
use spindle_actions::account::renew_recovery_codes;
use spindle_guest::{Attempts, Call, Failure, Guard, Operation, Reply, Scope};

pub(crate) const OPERATION: Operation = Operation::post(
    "renew-recovery-codes",
    "/api/v1/second_factor/recovery_codes",
    Guard::Human,
    run,
)
.counting_attempts(Attempts::Own("code"))
.needing(Scope::Account);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let site = call.external_url();
    let factor = call.required_factor(&site)?;
    let codes = renew_recovery_codes(call.db()?, call.actor()?, call.now(), factor)?;
    Ok(spindle_wire::Reply::of(&json!({"recovery_codes": codes}))?.into())
}
