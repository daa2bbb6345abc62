//! DELETE /apps/{app_id} (docs/protocol/apps.md#remove_app).

use spindle_actions::apps::remove_app;
use spindle_guest::{Call, Failure, Guard, Operation, Reply, Scope};

pub(crate) const OPERATION: Operation = Operation::delete(
    "remove-app",
    "/api/v1/apps/{app_id}",
    Guard::Administrator,
    run,
)
.needing(Scope::Administer);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let app_id = call.path_id("app_id")?;
    let removed = remove_app(call.db()?, call.actor()?, call.now(), app_id)?;
    Ok(spindle_wire::Reply::empty()
        .field("deleted", &removed)?
        .into())
}
