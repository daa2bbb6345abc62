//! POST /sessions: creates a cookie session with a password, a single-use sign-in link or a passkey.
//!
//! As for POST /fetch_api_key, attempts at one account share a rate limit, and the slow hash runs in an
//! exclusive instance. The token of a link has 256 random bits and cannot be guessed.

use serde_json::json;
use spindle_actions::account::{
    NewSession, PasswordProof, sign_in, sign_in_by_link, sign_in_by_passkey,
};
use spindle_domain::RealmId;
use spindle_guest::{Attempts, Call, Failure, Guard, Hashes, Operation, Reply};
use spindle_wire::ApiError;

pub(crate) const OPERATION: Operation =
    Operation::post("create-session", "/api/v1/sessions", Guard::Anonymous, run)
        .counting_attempts(Attempts::Named("username"))
        .hashing(Hashes::Always);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    call.require_own_page()?;
    let session = match (
        call.params.optional_text("sign_in_token"),
        call.params.optional_text("passkey"),
    ) {
        (Some(token), _) => by_link(call, token)?,
        (None, Some(answer)) => by_passkey(call, answer)?,
        (None, None) => by_password(call)?,
    };
    let fields = json!({"user_id": session.user_id, "session_id": session.session_id});
    call.with_session_cookie(spindle_wire::Reply::of(&fields)?, &session)
}

fn by_password(call: &Call<'_>) -> Result<NewSession, Failure> {
    let username = call.params.required_text("username")?;
    let password = call.params.required_text("password")?;
    let (realm_id, browser) = (RealmId::ONLY, call.browser());
    let origin = call.sign_in_origin(&browser);
    let site = call.external_url();
    let proof = PasswordProof {
        user_name: username,
        password,
        second_factor: call.second_factor(&site),
    };
    Ok(sign_in(call.db()?, realm_id, call.now(), proof, origin)?)
}

fn by_link(call: &Call<'_>, token: &str) -> Result<NewSession, Failure> {
    refuse_others(call, "sign_in_token", &["username", "password", "passkey"])?;
    let (realm_id, browser) = (RealmId::ONLY, call.browser());
    let origin = call.sign_in_origin(&browser);
    let site = call.external_url();
    Ok(sign_in_by_link(
        call.db()?,
        realm_id,
        call.now(),
        (token, call.second_factor(&site)),
        origin,
    )?)
}

fn by_passkey(call: &Call<'_>, answer: &str) -> Result<NewSession, Failure> {
    refuse_others(call, "passkey", &["username", "password", "second_factor"])?;
    let (realm_id, browser) = (RealmId::ONLY, call.browser());
    let origin = call.sign_in_origin(&browser);
    let site = call.external_url();
    let answer = (call.passkey_host(&site), answer);
    Ok(sign_in_by_passkey(
        call.db()?,
        realm_id,
        call.now(),
        answer,
        origin,
    )?)
}

/// Refuses two proofs at once.
fn refuse_others(call: &Call<'_>, proof: &str, others: &[&str]) -> Result<(), ApiError> {
    let mut sent = others
        .iter()
        .filter(|name| call.params.optional_text(name).is_some());
    match sent.next() {
        Some(name) => Err(ApiError::incompatible_parameters(&[proof, name])),
        None => Ok(()),
    }
}
