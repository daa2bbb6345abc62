//! DELETE /sessions/current: signs out the calling browser (docs/protocol/sessions.md#end_current_session).

use crate::end_session::end;
use spindle_actions::identity::signs_out_at;
use spindle_guest::{Call, Failure, Guard, Operation, Reply, Scope};
use spindle_wire::ApiError;

pub(crate) const OPERATION: Operation = Operation::delete(
    "end-current-session",
    "/api/v1/sessions/current",
    Guard::Human,
    run,
)
.needing(Scope::Account)
.before_second_factor();

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let missing = || ApiError::not_found_object("This request is made with a key, in no session");
    let actor = call.actor()?;
    let session_id = actor.session_id.ok_or_else(missing)?;
    let provider = signs_out_at(call.db()?, actor)?;
    let url = call.external_url();
    let sign_out_url = provider.map(|id| format!("{url}/accounts/login/openid/{id}/sign_out"));
    match (end(call, session_id)?, sign_out_url) {
        (Reply::Fields(reply), Some(url)) => Ok(reply.field("sign_out_url", &url)?.into()),
        (reply, _) => Ok(reply),
    }
}
