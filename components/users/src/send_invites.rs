//! POST /invites: invites addresses. The server sends no mail; GET /invites shows the links.

use serde_json::json;
use spindle_actions::invite_people;
use spindle_guest::{Call, Failure, Guard, Operation, Reply};
use spindle_wire::ApiError;

use crate::invitations::terms;

pub(crate) const OPERATION: Operation =
    Operation::post("send-invites", "/api/v1/invites", Guard::Human, run);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let params = &call.params;
    let addresses = params.required_text("invitee_emails")?;
    let terms = terms(params)?;
    let notify = params.optional("notify_referrer_on_join")?.unwrap_or(true);
    let (db, actor) = (call.db()?, call.actor()?);
    let left_out = invite_people(db, actor, call.now(), addresses, notify, &terms)?;
    if left_out.is_empty() {
        return Ok(spindle_wire::Reply::empty().into());
    }
    // An error that says what was done: waiting clients are to hear of that.
    let error = ApiError::invitation_failed(json!(left_out), true, false);
    Ok(Reply::Whole(error.into_response()))
}
