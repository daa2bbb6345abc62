//! GET /sessions: the caller's sessions.

use spindle_actions::account::list_sessions;
use spindle_guest::{Call, Failure, Guard, Operation, Reply, Scope};

pub(crate) const OPERATION: Operation =
    Operation::get("get-sessions", "/api/v1/sessions", Guard::Human, run)
        .needing(Scope::Account)
        .before_second_factor();

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let sessions = list_sessions(call.db()?, call.actor()?, call.now())?;
    Ok(spindle_wire::Reply::empty()
        .field("sessions", &sessions)?
        .into())
}
