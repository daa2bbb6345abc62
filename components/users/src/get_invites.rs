//! GET /invites.

use spindle_actions::invitations::list_invitations;
use spindle_guest::{Call, Failure, Guard, Operation, Reply, Scope};

use crate::invitations::with_links;

pub(crate) const OPERATION: Operation =
    Operation::get("get-invites", "/api/v1/invites", Guard::Human, run).needing(Scope::Everything);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let invites = with_links(call, |links| {
        list_invitations(call.db()?, call.actor()?, call.now(), links).map_err(Failure::from)
    })?;
    Ok(spindle_wire::Reply::empty()
        .field("invites", &invites)?
        .into())
}
