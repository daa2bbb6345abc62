//! POST /invites/join: creates an account, with an invitation or, where allowed, without.
//!
//! A key of 256 random bits cannot be guessed; an attempt costs a lookup before the slow password hash, and
//! counts against the rate limit of the address, as every call without an account. A browser on a page of
//! this server is signed in as well.

use serde_json::json;
use spindle_actions::users::{JoinInput, join};
use spindle_domain::RealmId;
use spindle_guest::{Call, Failure, Guard, Hashes, Operation, Reply};
use spindle_wire::session_cookie;

pub(crate) const OPERATION: Operation =
    Operation::post("join", "/api/v1/invites/join", Guard::Anonymous, run).hashing(Hashes::Always);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let params = &call.params;
    // Only this server's own pages request a session; other clients get no cookie.
    let signs_in = session_cookie::is_of_own_client(call.headers());
    let client = call.browser();
    let input = JoinInput {
        key: params.optional_text("key"),
        email: params.optional_text("email"),
        full_name: params.required_text("full_name")?,
        password: params.required_text("password")?,
        browser: signs_in.then(|| call.sign_in_origin(&client)),
    };
    if signs_in {
        call.require_own_page()?;
    }
    let (db, secret) = (call.db()?, call.secret());
    let joined = join(db, RealmId::ONLY, call.now(), secret, input)?;
    let fields = json!({
        "api_key": joined.account.api_key,
        "email": joined.account.email,
        "user_id": joined.account.user_id,
    });
    let reply = spindle_wire::Reply::of(&fields)?;
    match &joined.session {
        Some(session) => call.with_session_cookie(reply, session),
        None => Ok(reply.into()),
    }
}
