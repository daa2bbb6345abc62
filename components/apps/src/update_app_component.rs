//! PUT /apps/{app_id}/component (docs/protocol/apps.md#update_app_component).

use spindle_actions::apps::{check_replacement, find_app, replace_component};
use spindle_domain::AppId;
use spindle_guest::{BlobWork, Call, Failure, Guard, Operation, Reply, Scope};

use crate::component_file::{self, MAX_BODY};

pub(crate) const OPERATION: Operation = Operation::put(
    "update-app-component",
    "/api/v1/apps/{app_id}/component",
    Guard::Administrator,
    run,
)
.taking(MAX_BODY)
.needing(Scope::Administer);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let app_id: AppId = call.path_id("app_id")?;
    let (file, blob) = component_file::read(call)?;
    let actor = call.actor()?.clone();
    check_replacement(call.db()?, &actor, app_id, &file)?;
    file.announce(call.db()?, call.now())?;
    let site = call.site().to_owned();
    Ok(Reply::BlobWork(BlobWork {
        put: vec![blob],
        delete: Vec::new(),
        then: Box::new(move |db, now| {
            replace_component(db, &actor, now, app_id, &file)?;
            let app = find_app(db, &actor, &site, app_id)?;
            Ok(spindle_wire::Reply::empty().field("app", &app)?.into())
        }),
    }))
}
