//! POST /external/app calls an app (docs/protocol/apps.md#webhooks). The key in the address names the app, which receives
//! the query and the body unchanged.

use http::header::CONTENT_TYPE;
use spindle_actions::ActionError;
use spindle_actions::apps::{ReceivedCall, receive_app_call};
use spindle_guest::{Call, Failure, Reply};
use spindle_wire::ClientError;

/// In the place of the name of an integration.
const NAME: &str = "app";
const KEY: &str = "api_key";

/// Whether the call is for an app.
pub(crate) fn is_for_app(call: &Call<'_>) -> Result<bool, Failure> {
    Ok(call.path_text("integration")? == NAME)
}

pub(crate) fn receive(call: &Call<'_>) -> Result<Reply, Failure> {
    let key = admit(call)?;
    let content_type = call.header(CONTENT_TYPE.as_str()).unwrap_or_default();
    let query = call.params.all().filter(|(name, _)| *name != KEY);
    let received = ReceivedCall {
        content_type: content_type.to_owned(),
        query: query
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect(),
        body: call.body().to_vec(),
    };
    receive_app_call(call.db()?, call.now(), key, &received).map_err(with_key_in_address)?;
    Ok(spindle_wire::Reply::empty().into())
}

/// Services that check an address ask for it, and the native host does before it receives a large body.
pub(crate) fn check(call: &Call<'_>) -> Result<Reply, Failure> {
    admit(call)?;
    Ok(spindle_wire::Reply::empty().into())
}

/// The key in the address; the call counts for the account of the app.
fn admit<'c>(call: &'c Call<'_>) -> Result<&'c str, Failure> {
    let key = call.params.required_text(KEY)?;
    let account = ReceivedCall::account(call.db()?, key).map_err(with_key_in_address)?;
    call.count_for(&account);
    Ok(key)
}

/// A wrong key has another error code when the key is a parameter.
fn with_key_in_address(error: ActionError) -> Failure {
    match error {
        ActionError::WrongCredentials => ClientError::InvalidApiKey.into(),
        other => Failure::from(other),
    }
}
