//! POST /second_factor/passkeys/confirm (docs/protocol/second-factor.md#confirm_passkey).

use serde_json::json;
use spindle_actions::account::{NewPasskey, confirm_passkey};
use spindle_guest::{Call, Failure, Guard, Operation, Reply, Scope};

pub(crate) const OPERATION: Operation = Operation::post(
    "confirm-passkey",
    "/api/v1/second_factor/passkeys/confirm",
    Guard::Human,
    run,
)
.before_second_factor()
.needing(Scope::Account);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let new = NewPasskey {
        state: call.params.required_text("state")?,
        credential: call.params.required_text("credential")?,
        name: call.params.required_text("name")?,
    };
    let site = call.external_url();
    let host = call.passkey_host(&site);
    let added = confirm_passkey(call.db()?, call.actor()?, call.now(), host, new)?;
    let fields = json!({"id": added.id, "recovery_codes": added.recovery_codes});
    Ok(spindle_wire::Reply::of(&fields)?.into())
}
