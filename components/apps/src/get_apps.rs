//! GET /apps (docs/protocol/apps.md#get_apps).

use spindle_actions::apps::list_apps;
use spindle_guest::{Call, Failure, Guard, Operation, Reply, Scope};

pub(crate) const OPERATION: Operation =
    Operation::get("get-apps", "/api/v1/apps", Guard::Administrator, run)
        .needing(Scope::Administer);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let apps = list_apps(call.db()?, call.actor()?, call.site())?;
    Ok(spindle_wire::Reply::empty().field("apps", &apps)?.into())
}
