//! DELETE /invites/{invite_id}.

use spindle_actions::invitations::{InvitationKind, revoke_invitation};
use spindle_guest::{Call, Failure, Guard, Operation, Reply};

pub(crate) const OPERATION: Operation = Operation::delete(
    "revoke-email-invite",
    "/api/v1/invites/{invite_id}",
    Guard::Human,
    run,
);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let id = call.path_id("invite_id")?;
    let (db, actor) = (call.db()?, call.actor()?);
    revoke_invitation(db, actor, call.now(), InvitationKind::Personal, id)?;
    Ok(spindle_wire::Reply::empty().into())
}
