//! POST /invites/join: an account for somebody who has an invitation, or needs none.
//!
//! A key of 256 random bits is not guessed; trying costs a look-up, counts against the address
//! like every call without an account, and the slow hash of the password comes after it. In a page of
//! this server, the newcomer is signed in as well.

use serde_json::json;
use spindle_actions::{JoinInput, join};
use spindle_domain::RealmId;
use spindle_guest::{Call, Failure, Guard, Hashes, Operation, Reply};
use spindle_wire::session_cookie;

pub(crate) const OPERATION: Operation =
    Operation::post("join", "/api/v1/invites/join", Guard::Anonymous, run).hashing(Hashes::Always);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let params = &call.params;
    // Only this server's own pages ask to be signed in; other clients get no cookie.
    let signs_in = session_cookie::is_of_own_client(call.headers());
    let browser = signs_in.then(|| call.browser());
    let input = JoinInput {
        key: params.optional_text("key"),
        email: params.optional_text("email"),
        full_name: params.required_text("full_name")?,
        password: params.required_text("password")?,
        browser: browser.as_deref(),
    };
    if signs_in {
        call.require_own_page()?;
    }
    let (db, secret) = (call.db()?, call.secret());
    let joined = join(db, RealmId::ONLY.get(), call.now(), secret, input)?;
    let fields = json!({
        "api_key": joined.account.api_key,
        "email": joined.account.email,
        "user_id": joined.account.user_id,
    });
    let reply = spindle_wire::Reply::of(&fields)?;
    match &joined.session {
        Some(session) => call.with_session_cookie(reply, &session.token),
        None => Ok(reply.into()),
    }
}
