//! DELETE /sessions/{session_id}: signs out one of the caller's browsers.

use spindle_actions::account::end_session;
use spindle_domain::SessionId;
use spindle_guest::{Call, Failure, Guard, Operation, Reply, Scope};

pub(crate) const OPERATION: Operation = Operation::delete(
    "end-session",
    "/api/v1/sessions/{session_id}",
    Guard::Human,
    run,
)
.needing(Scope::Account)
.before_second_factor();

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    end(call, call.path_id("session_id")?)
}

/// Ends a session; if it is the caller's current one, the cookie is deleted too.
pub(crate) fn end(call: &Call<'_>, session_id: SessionId) -> Result<Reply, Failure> {
    let actor = call.actor()?;
    end_session(call.db()?, actor, call.now(), session_id)?;
    let reply = spindle_wire::Reply::empty();
    if actor.session_id == Some(session_id) {
        return Ok(call.without_session_cookie(reply));
    }
    Ok(reply.into())
}
