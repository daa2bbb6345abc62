//! GET /accounts/login/openid/{provider}: sends a browser to an identity provider
//! (docs/protocol/identity.md#begin_identity).
//!
//! The host speaks to the provider. The browser keeps the attempt, so that nothing is stored.

use spindle_actions::identity::{ATTEMPT_SECONDS, Flow, begin_attempt, is_offered};
use spindle_domain::RealmId;
use spindle_guest::{Call, Failure, Guard, Operation, Reply, Task};
use spindle_wire::{ApiError, attempt_cookie};

use crate::provider;

pub(crate) const OPERATION: Operation = Operation::get(
    "begin-identity",
    "/accounts/login/openid/{provider}",
    Guard::Anonymous,
    run,
);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let id = provider::named(call)?;
    let flow = flow(call)?;
    if !is_offered(call.db()?, RealmId::ONLY, id)? {
        return provider::failed("off");
    }
    let (cookie, proofs) = begin_attempt(call.secret(), call.now(), id, &flow)?;
    let cookie = attempt_cookie::set(&cookie, ATTEMPT_SECONDS, call.is_secure())
        .map_err(|error| Failure::internal(error.to_string()))?;
    let task = Task::IdentityBegin {
        provider: id.to_owned(),
        redirect_uri: provider::redirect_uri(call, id),
        challenge: proofs.challenge(),
        state: proofs.state,
        nonce: proofs.nonce,
    };
    Ok(provider::by_host(task, Some(cookie)))
}

/// How the client that has opened the address goes on after the sign-in.
fn flow(call: &Call<'_>) -> Result<Flow, ApiError> {
    let names = ["mobile_flow_otp", "desktop_flow_otp"];
    let [mobile, desktop] = names.map(|name| call.params.optional_text(name));
    let next = call.params.optional_text("next");
    let read = |name: &str, flow: Option<Flow>| {
        let wrong = || ApiError::bad_parameter(name, "expected 64 hexadecimal digits");
        flow.ok_or_else(wrong)
    };
    match (mobile, desktop) {
        (Some(_), Some(_)) => Err(ApiError::incompatible_parameters(&names)),
        (Some(otp), None) => read("mobile_flow_otp", Flow::mobile(otp)),
        (None, Some(otp)) => read("desktop_flow_otp", Flow::desktop(otp)),
        (None, None) => Ok(Flow::browser(next)),
    }
}
