//! POST /realm/logo: sets one of the organization's logos, for the light or the dark theme.

use crate::{one_file, picture};
use spindle_actions::organization::{RealmPicture, begin_realm_picture, finish_realm_picture};
use spindle_domain::limits::MAX_LOGO_FILE_SIZE_MIB;
use spindle_guest::{BlobWork, Call, Failure, Guard, Operation, Reply};
use spindle_wire::ApiError;

pub(crate) const OPERATION: Operation = Operation::post(
    "upload-realm-logo",
    "/api/v1/realm/logo",
    Guard::Administrator,
    run,
)
.taking(one_file::body_limit(MAX_LOGO_FILE_SIZE_MIB));

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let which = which(call)?;
    let file = one_file::one_file(call, MAX_LOGO_FILE_SIZE_MIB)?;
    let logo = spindle_images::logo(&file.content).map_err(picture::refusal)?;
    let actor = call.actor()?.clone();
    let upload = begin_realm_picture(call.db()?, &actor, call.now(), which)?;
    Ok(Reply::BlobWork(BlobWork {
        put: vec![picture::blob(&upload.blob_key, logo)],
        delete: Vec::new(),
        then: Box::new(move |db, now| {
            finish_realm_picture(db, &actor, now, &upload)?;
            Ok(spindle_wire::Reply::empty().into())
        }),
    }))
}

/// The logo selected by the parameter `night`.
pub(crate) fn which(call: &Call<'_>) -> Result<RealmPicture, ApiError> {
    Ok(match call.params.required::<bool>("night")? {
        true => RealmPicture::NightLogo,
        false => RealmPicture::Logo,
    })
}
