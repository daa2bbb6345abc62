//! POST /invites: invites email addresses. The answer contains the links, which are also mailed where mail is configured.

use serde_json::json;
use spindle_actions::invitations::invite_people;
use spindle_domain::errors::ClientError;
use spindle_guest::{Call, Failure, Guard, Operation, Reply};
use spindle_wire::ApiError;

use crate::invitations::{terms, with_links};

pub(crate) const OPERATION: Operation =
    Operation::post("send-invites", "/api/v1/invites", Guard::Human, run);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let params = &call.params;
    let addresses = params.required_text("invitee_emails")?;
    let terms = terms(params)?;
    let notify = params.optional("notify_referrer_on_join")?.unwrap_or(true);
    let (db, actor) = (call.db()?, call.actor()?);
    let result = with_links(call, |links| {
        let now = call.now();
        Ok(invite_people(
            db, actor, now, links, addresses, notify, &terms,
        )?)
    })?;
    if result.left_out.is_empty() {
        let reply = spindle_wire::Reply::empty().field("invitations", &result.invited)?;
        return Ok(reply.into());
    }
    // The error describes a partial success, so events are still sent. Clients know its fields, so the
    // links of the invited addresses are only in GET /invites.
    let error = ClientError::InvitationFailed {
        errors: json!(result.left_out),
        sent: true,
        daily_limit_reached: false,
    };
    Ok(Reply::Whole(ApiError::from(error).into_response()))
}
