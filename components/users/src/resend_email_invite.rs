//! POST /invites/{invite_id}/resend: restarts the validity period of the invitation, and mails it again where mail is
//! configured.

use spindle_actions::invitations::renew_invitation;
use spindle_guest::{Call, Failure, Guard, Operation, Reply};

pub(crate) const OPERATION: Operation = Operation::post(
    "resend-email-invite",
    "/api/v1/invites/{invite_id}/resend",
    Guard::Human,
    run,
);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let id = call.path_id("invite_id")?;
    renew_invitation(call.db()?, call.actor()?, call.now(), id)?;
    Ok(spindle_wire::Reply::empty().into())
}
