//! POST /fetch_api_key: exchanges a password for an API key
//! (docs/protocol/sessions.md#fetch_api_key).
//!
//! The password hash is slow on purpose and occupies an instance for some 50 ms: the native host runs it in
//! an exclusive instance.

use serde_json::json;
use spindle_actions::ActionError;
use spindle_actions::account::{PasswordProof, fetch_api_key};
use spindle_domain::RealmId;
use spindle_domain::errors::ClientError;
use spindle_guest::{Attempts, Call, Failure, Guard, Hashes, Operation, Reply};

pub(crate) const OPERATION: Operation = Operation::post(
    "fetch-api-key",
    "/api/v1/fetch_api_key",
    Guard::Anonymous,
    run,
)
.counting_attempts(Attempts::Named("username"))
.hashing(Hashes::Always);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let username = call.params.required_text("username")?;
    let password = call.params.required_text("password")?;
    let client = call.client_name();
    let (realm_id, site) = (RealmId::ONLY, call.external_url());
    let proof = PasswordProof {
        user_name: username,
        password,
        second_factor: call.second_factor(&site),
    };
    let origin = call.sign_in_origin(&client);
    let key = fetch_api_key(call.db()?, realm_id, call.now(), proof, origin)
        .map_err(|error| with_address(error, &site))?;
    let fields = json!({
        "api_key": key.api_key,
        "email": key.email,
        "user_id": key.user_id,
    });
    Ok(spindle_wire::Reply::of(&fields)?.into())
}

/// Most clients have no field for the code of a second factor: they show a text that says where there is one.
fn with_address(error: ActionError, url: &str) -> ActionError {
    match error {
        ActionError::Client(ClientError::SecondFactorRequired { .. }) => {
            ClientError::SecondFactorRequired {
                text: format!(
                    "This account is signed in to with a second factor. Sign in with a browser instead: choose Browser \
                     in your app, or open {url}"
                ),
            }
            .into()
        }
        other => other,
    }
}
