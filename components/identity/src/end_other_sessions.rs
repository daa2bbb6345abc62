//! DELETE /sessions: signs the caller out in all other browsers.

use spindle_actions::account::end_other_sessions;
use spindle_guest::{Call, Failure, Guard, Operation, Reply, Scope};

pub(crate) const OPERATION: Operation =
    Operation::delete("end-other-sessions", "/api/v1/sessions", Guard::Human, run)
        .needing(Scope::Account)
        .before_second_factor();

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    end_other_sessions(call.db()?, call.actor()?, call.now())?;
    Ok(spindle_wire::Reply::empty().into())
}
