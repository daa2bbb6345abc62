//! POST /users/me/presence (docs/protocol/presence.md#forms,
//! docs/protocol/presence.md#update_presence).

use spindle_actions::presence::{PresenceReport, report_presence};
use spindle_guest::{Call, Failure, Guard, Operation, Reply, Scope};
use spindle_wire::ApiError;

use crate::presence_query;

pub(crate) const OPERATION: Operation = Operation::post(
    "update-presence",
    "/api/v1/users/me/presence",
    Guard::Human,
    run,
)
.needing(Scope::Send);

const STATUSES: &[(&str, bool)] = &[("active", true), ("idle", false)];

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let params = &call.params;
    let query = presence_query::read(params)?;
    // Validated but unused: whether the user has just become active again.
    params.optional::<bool>("new_user_input")?;
    let ping_only: bool = params.optional("ping_only")?.unwrap_or(false);
    let is_active = params
        .optional_enum("status", STATUSES)?
        .ok_or_else(|| ApiError::variable_missing("status"))?;
    let report = PresenceReport {
        is_active,
        query: (!ping_only).then_some(query),
    };
    let presences = report_presence(call.db()?, call.actor()?, call.now(), report)?;
    let Some(found) = presences else {
        return Ok(spindle_wire::Reply::empty().into());
    };
    let reply = spindle_wire::Reply::raw_value("presences", found.presences)
        .field("server_timestamp", &found.server_timestamp)?
        .field("presence_last_update_id", &found.presence_last_update_id)?;
    Ok(reply.into())
}
