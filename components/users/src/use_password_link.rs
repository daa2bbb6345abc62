//! POST /password_links/use: sets a new password with a link that works once.
//!
//! As for POST /invites/join, a token of 256 random bits cannot be guessed; an attempt costs a lookup before the slow
//! password hash, and counts against the rate limit of the address. A browser on a page of this server is signed in as
//! well.

use serde_json::json;
use spindle_actions::users::{LinkProof, use_password_link};
use spindle_domain::RealmId;
use spindle_guest::{Call, Failure, Guard, Hashes, Operation, Reply};
use spindle_wire::session_cookie;

pub(crate) const OPERATION: Operation = Operation::post(
    "use-password-link",
    "/api/v1/password_links/use",
    Guard::Anonymous,
    run,
)
.hashing(Hashes::Always);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let token = call.params.required_text("token")?;
    let password = call.params.required_text("new_password")?;
    // Only this server's own pages request a session; other clients get no cookie.
    let signs_in = session_cookie::is_of_own_client(call.headers());
    if signs_in {
        call.require_own_page()?;
    }
    let client = call.browser();
    let browser = signs_in.then(|| call.sign_in_origin(&client));
    let (db, now, site) = (call.db()?, call.now(), call.external_url());
    let link = LinkProof {
        token,
        new_password: password,
        second_factor: call.second_factor(&site),
    };
    let done = use_password_link(db, RealmId::ONLY, now, link, browser)?;
    let reply = spindle_wire::Reply::of(&json!({"user_id": done.user_id}))?;
    match &done.session {
        Some(session) => call.with_session_cookie(reply, session),
        None => Ok(reply.into()),
    }
}
