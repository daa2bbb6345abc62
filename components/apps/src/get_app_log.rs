//! GET /apps/{app_id}/log (docs/protocol/apps.md#get_app_log).

use spindle_actions::apps::list_app_log;
use spindle_guest::{Call, Failure, Guard, Operation, Reply, Scope};

pub(crate) const OPERATION: Operation = Operation::get(
    "get-app-log",
    "/api/v1/apps/{app_id}/log",
    Guard::Administrator,
    run,
)
.needing(Scope::Administer);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let app_id = call.path_id("app_id")?;
    let log = list_app_log(call.db()?, call.actor()?, app_id)?;
    Ok(spindle_wire::Reply::raw_value("log", log).into())
}
