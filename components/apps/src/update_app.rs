//! PATCH /apps/{app_id} (docs/protocol/apps.md#update_app).

use std::collections::BTreeMap;

use serde_json::Value;
use spindle_actions::apps::{AppChange, find_app, update_app};
use spindle_domain::apps::Rights;
use spindle_guest::{Call, Failure, Guard, Operation, Reply, Scope};

pub(crate) const OPERATION: Operation = Operation::patch(
    "update-app",
    "/api/v1/apps/{app_id}",
    Guard::Administrator,
    run,
)
.needing(Scope::Administer);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let app_id = call.path_id("app_id")?;
    let rights: Option<Rights> = call.params.optional("rights")?;
    let settings: Option<BTreeMap<String, Value>> = call.params.optional("settings")?;
    let secrets: Option<BTreeMap<String, Option<String>>> = call.params.optional("secrets")?;
    let is_paused: Option<bool> = call.params.optional("is_paused")?;
    let change = AppChange {
        rights,
        settings,
        secrets,
        is_paused,
    };
    update_app(call.db()?, call.actor()?, call.now(), app_id, &change)?;
    let app = find_app(call.db()?, call.actor()?, call.site(), app_id)?;
    Ok(spindle_wire::Reply::empty().field("app", &app)?.into())
}
