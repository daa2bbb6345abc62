//! GET /accounts/login/openid/{provider}/callback: takes a browser back from an identity provider
//! (docs/protocol/identity.md#complete_identity).
//!
//! Only a browser that has begun the attempt goes on; the host then exchanges the code, and sends the browser to the page.

use spindle_actions::identity::{AttemptProblem, read_attempt};
use spindle_domain::identity::MAX_ISSUER_LENGTH;
use spindle_guest::{Call, Failure, Guard, Operation, Reply, Task};
use spindle_wire::attempt_cookie;

use crate::provider;

/// Longest code that a provider sends, in bytes.
const MAX_CODE_LENGTH: usize = 4096;

pub(crate) const OPERATION: Operation = Operation::get(
    "complete-identity",
    "/accounts/login/openid/{provider}/callback",
    Guard::Anonymous,
    run,
);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let forget = attempt_cookie::forget(call.is_secure())
        .map_err(|error| Failure::internal(error.to_string()))?;
    Ok(match answer(call)? {
        Ok(task) => provider::by_host(task, Some(forget)),
        Err(word) => match provider::failed(word)? {
            Reply::Whole(mut response) => {
                response
                    .headers_mut()
                    .insert(http::header::SET_COOKIE, forget);
                Reply::Whole(response)
            }
            other => other,
        },
    })
}

/// The task for the host, or the word for why there is none.
fn answer(call: &Call<'_>) -> Result<Result<Task, &'static str>, Failure> {
    let id = provider::named(call)?;
    let text = |name| call.params.optional_text(name).unwrap_or_default();
    let (state, error, code) = (text("state"), text("error"), text("code"));
    let issuer = call.params.optional_text("iss");
    call.params.check_lengths()?;
    let cookie = attempt_cookie::find(call.headers(), call.is_secure()).unwrap_or_default();
    let (attempt, proofs) = match read_attempt(call.secret(), call.now(), cookie, (id, state)) {
        Ok(read) => read,
        Err(AttemptProblem::NotBegun) => return Ok(Err("state")),
        Err(AttemptProblem::Failed(error)) => return Err(error.into()),
    };
    if error == "access_denied" {
        return Ok(Err("denied"));
    }
    let is_code = (1..=MAX_CODE_LENGTH).contains(&code.len());
    let is_issuer = issuer.is_none_or(|issuer| issuer.len() <= MAX_ISSUER_LENGTH);
    if !(error.is_empty() && is_code && is_issuer) {
        return Ok(Err("failed"));
    }
    let browser = call.browser();
    let address = call.sign_in_origin(&browser).address;
    Ok(Ok(Task::IdentityComplete {
        redirect_uri: provider::redirect_uri(call, id),
        provider: attempt.provider,
        code: code.to_owned(),
        nonce: proofs.nonce,
        verifier: proofs.verifier,
        iss: issuer.map(str::to_owned),
        flow: attempt.flow.suffix(),
        address: address
            .map(|address| address.to_string())
            .unwrap_or_default(),
        client: browser,
    }))
}
