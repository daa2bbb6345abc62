//! GET /second_factor (docs/protocol/second-factor.md#get_second_factor).

use serde_json::json;
use spindle_actions::account::second_factor_state;
use spindle_guest::{Call, Failure, Guard, Operation, Reply, Scope};

pub(crate) const OPERATION: Operation = Operation::get(
    "get-second-factor",
    "/api/v1/second_factor",
    Guard::Human,
    run,
)
.before_second_factor()
.needing(Scope::Account);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let state = second_factor_state(call.db()?, call.actor()?, &call.external_url())?;
    let fields = json!({
        "totp_since": state.totp_since,
        "passkeys": state.passkeys,
        "can_have_passkeys": state.can_have_passkeys,
        "recovery_codes_left": state.recovery_codes_left,
        "is_required": state.is_required,
        "has_password": state.has_password,
    });
    Ok(spindle_wire::Reply::of(&fields)?.into())
}
