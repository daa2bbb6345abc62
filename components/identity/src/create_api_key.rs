//! POST /api_keys (docs/protocol/sessions.md#create_api_key).

use serde_json::json;
use spindle_actions::account::{NewKey, create_api_key};
use spindle_guest::{Call, Failure, Guard, Operation, Reply, Scope};
use spindle_wire::ApiError;

pub(crate) const OPERATION: Operation =
    Operation::post("create-api-key", "/api/v1/api_keys", Guard::Human, run)
        .needing(Scope::Account);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let name = call.params.required_text("name")?;
    let scope = call.params.required_text("scope")?;
    let unknown = || ApiError::bad_parameter("scope", "there is no such scope");
    let scope = Scope::from_name(scope).ok_or_else(unknown)?;
    let ends: Option<Option<i64>> = call.params.optional("ends")?;
    let new = NewKey {
        name,
        scope,
        ends: ends.flatten(),
    };
    let client = call.browser();
    let origin = call.sign_in_origin(&client);
    let made = create_api_key(call.db()?, call.actor()?, call.now(), &new, origin)?;
    let fields = json!({"key_id": made.id, "api_key": made.api_key});
    Ok(spindle_wire::Reply::of(&fields)?.into())
}
