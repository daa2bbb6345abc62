//! DELETE /sessions/current: signs out the calling browser.

use crate::end_session::end;
use spindle_guest::{Call, Failure, Guard, Operation, Reply, Scope};
use spindle_wire::ApiError;

pub(crate) const OPERATION: Operation = Operation::delete(
    "end-current-session",
    "/api/v1/sessions/current",
    Guard::Human,
    run,
)
.needing(Scope::Account);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let missing = || ApiError::not_found_object("This request is made with a key, in no session");
    end(call, call.actor()?.session_id.ok_or_else(missing)?)
}
