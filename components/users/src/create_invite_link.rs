//! POST /invites/multiuse: creates an invitation link that any number of people can use.

use spindle_actions::invitations::make_invitation_link;
use spindle_guest::{Call, Failure, Guard, Operation, Reply};

use crate::invitations::{terms, with_links};

pub(crate) const OPERATION: Operation = Operation::post(
    "create-invite-link",
    "/api/v1/invites/multiuse",
    Guard::Human,
    run,
);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let terms = terms(&call.params)?;
    let link = with_links(call, |links| {
        let (db, actor) = (call.db()?, call.actor()?);
        make_invitation_link(db, actor, call.now(), links, &terms).map_err(Failure::from)
    })?;
    Ok(spindle_wire::Reply::empty()
        .field("invite_link", &link)?
        .into())
}
