//! GET /realm/presence (docs/protocol/presence.md#get_presence): the presence of all users, in the
//! legacy form.

use spindle_actions::presence::{PresenceQuery, get_presences};
use spindle_guest::{Call, Failure, Guard, Operation, Reply};

pub(crate) const OPERATION: Operation =
    Operation::get("get-presence", "/api/v1/realm/presence", Guard::User, run);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let query = PresenceQuery {
        slim: false,
        last_update_id: -1,
        history_limit_days: None,
    };
    let found = get_presences(call.db()?, call.actor()?, call.now(), query)?;
    Ok(spindle_wire::Reply::raw_value("presences", found.presences)
        .field("server_timestamp", &found.server_timestamp)?
        .into())
}
