//! POST /sessions: creates a cookie session with a password or a single-use sign-in link.
//!
//! As for POST /fetch_api_key, attempts at one account share a rate limit, and the slow hash runs in an
//! exclusive instance. The token of a link has 256 random bits and cannot be guessed.

use serde_json::json;
use spindle_actions::account::{NewSession, PasswordProof, sign_in, sign_in_by_link};
use spindle_domain::RealmId;
use spindle_guest::{Attempts, Call, Failure, Guard, Hashes, Operation, Reply};
use spindle_wire::ApiError;

pub(crate) const OPERATION: Operation =
    Operation::post("create-session", "/api/v1/sessions", Guard::Anonymous, run)
        .counting_attempts(Attempts::Named("username"))
        .hashing(Hashes::Always);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    call.require_own_page()?;
    let session = match call.params.optional_text("sign_in_token") {
        Some(token) => by_link(call, token)?,
        None => by_password(call)?,
    };
    let fields = json!({"user_id": session.user_id, "session_id": session.session_id});
    call.with_session_cookie(spindle_wire::Reply::of(&fields)?, &session)
}

fn by_password(call: &Call<'_>) -> Result<NewSession, Failure> {
    let username = call.params.required_text("username")?;
    let password = call.params.required_text("password")?;
    let (realm_id, browser) = (RealmId::ONLY, call.browser());
    let origin = call.sign_in_origin(&browser);
    let proof = PasswordProof {
        user_name: username,
        password,
        second_factor: call.params.optional_text("second_factor"),
    };
    Ok(sign_in(call.db()?, realm_id, call.now(), proof, origin)?)
}

fn by_link(call: &Call<'_>, token: &str) -> Result<NewSession, Failure> {
    for name in ["username", "password"] {
        if call.params.optional_text(name).is_some() {
            return Err(ApiError::incompatible_parameters(&["sign_in_token", name]).into());
        }
    }
    let (realm_id, browser) = (RealmId::ONLY, call.browser());
    let origin = call.sign_in_origin(&browser);
    Ok(sign_in_by_link(
        call.db()?,
        realm_id,
        call.now(),
        (token, call.params.optional_text("second_factor")),
        origin,
    )?)
}
