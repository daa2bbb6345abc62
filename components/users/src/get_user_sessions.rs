//! GET /users/{user_id}/sessions (docs/protocol/sessions.md#get_user_sessions).

use serde_json::{Value, json};
use spindle_actions::users::list_credentials;
use spindle_guest::{Call, Failure, Guard, Operation, Reply, Scope};

pub(crate) const OPERATION: Operation = Operation::get(
    "get-user-sessions",
    "/api/v1/users/{user_id}/sessions",
    Guard::Owner,
    run,
)
.needing(Scope::Account);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let user_id = call.path_id("user_id")?;
    let found = list_credentials(call.db()?, call.actor()?, call.now(), user_id)?;
    let keys = found.api_keys.into_iter();
    let keys = keys.map(|key| json!({"created": key.created, "label": key.label}));
    Ok(spindle_wire::Reply::empty()
        .field("sessions", &found.sessions)?
        .field("api_keys", &keys.collect::<Vec<Value>>())?
        .into())
}
