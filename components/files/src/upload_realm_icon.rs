//! POST /realm/icon: the organization's icon.

use crate::{one_file, picture};
use spindle_actions::organization::{RealmPicture, begin_realm_picture, finish_realm_picture};
use spindle_domain::limits::MAX_ICON_FILE_SIZE_MIB;
use spindle_guest::{BlobWork, Call, Failure, Guard, Operation, Reply};

pub(crate) const OPERATION: Operation = Operation::post(
    "upload-realm-icon",
    "/api/v1/realm/icon",
    Guard::Administrator,
    run,
)
.taking(one_file::body_limit(MAX_ICON_FILE_SIZE_MIB));

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let file = one_file::one_file(call, MAX_ICON_FILE_SIZE_MIB)?;
    let icon = spindle_images::icon(&file.content).map_err(picture::refusal)?;
    let actor = call.actor()?.clone();
    let upload = begin_realm_picture(call.db()?, &actor, call.now(), RealmPicture::Icon)?;
    Ok(Reply::BlobWork(BlobWork {
        put: vec![picture::blob(&upload.blob_key, icon)],
        delete: Vec::new(),
        then: Box::new(move |db, now| {
            let url = finish_realm_picture(db, &actor, now, &upload)?;
            Ok(spindle_wire::Reply::empty().field("icon_url", &url)?.into())
        }),
    }))
}
