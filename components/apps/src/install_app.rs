//! POST /apps (docs/protocol/apps.md#install_app): the manifest is checked before the file is stored.

use spindle_actions::apps::{check_new_app, find_app, install_app};
use spindle_actions::users::bot_domain;
use spindle_guest::{BlobWork, Call, Failure, Guard, Operation, Reply, Scope};

use crate::component_file::{self, MAX_BODY};

pub(crate) const OPERATION: Operation =
    Operation::post("install-app", "/api/v1/apps", Guard::Administrator, run)
        .taking(MAX_BODY)
        .needing(Scope::Administer);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let (file, blob) = component_file::read(call)?;
    let actor = call.actor()?.clone();
    check_new_app(call.db()?, &actor, &file)?;
    file.announce(call.db()?, call.now())?;
    let site = call.site().to_owned();
    Ok(Reply::BlobWork(BlobWork {
        put: vec![blob],
        delete: Vec::new(),
        then: Box::new(move |db, now| {
            let app_id = install_app(db, &actor, now, &file, bot_domain(&site))?;
            let app = find_app(db, &actor, &site, app_id)?;
            Ok(spindle_wire::Reply::empty().field("app", &app)?.into())
        }),
    }))
}
