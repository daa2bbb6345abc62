//! POST /second_factor/totp/confirm (docs/protocol/second-factor.md#confirm_totp).

use serde_json::json;
use spindle_actions::account::confirm_totp;
use spindle_guest::{Call, Failure, Guard, Operation, Reply, Scope};

pub(crate) const OPERATION: Operation = Operation::post(
    "confirm-totp",
    "/api/v1/second_factor/totp/confirm",
    Guard::Human,
    run,
)
.before_second_factor()
.needing(Scope::Account);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let code = call.params.required_text("code")?;
    let codes = confirm_totp(call.db()?, call.actor()?, call.now(), code)?;
    Ok(spindle_wire::Reply::of(&json!({"recovery_codes": codes}))?.into())
}
