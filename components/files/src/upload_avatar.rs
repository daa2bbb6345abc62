//! POST /users/me/avatar: sets the caller's avatar. The permission is checked before the file.

use crate::{one_file, picture};
use spindle_actions::users::{begin_avatar, check_may_change, finish_avatar};
use spindle_domain::limits::MAX_AVATAR_FILE_SIZE_MIB;
use spindle_guest::{BlobWork, Call, Failure, Guard, Operation, Reply};

pub(crate) const OPERATION: Operation =
    Operation::post("upload-avatar", "/api/v1/users/me/avatar", Guard::User, run)
        .taking(one_file::body_limit(MAX_AVATAR_FILE_SIZE_MIB));

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let actor = call.actor()?;
    check_may_change(actor)?;
    let file = one_file::one_file(call, MAX_AVATAR_FILE_SIZE_MIB)?;
    let avatar = spindle_images::avatar(&file.content).map_err(picture::refusal)?;
    let upload = begin_avatar(call.db()?, actor, call.now())?;
    let actor = actor.clone();
    Ok(Reply::BlobWork(BlobWork {
        put: vec![
            picture::blob(&upload.small_key, avatar.small),
            picture::blob(&upload.medium_key, avatar.medium),
        ],
        delete: Vec::new(),
        then: Box::new(move |db, now| {
            let url = finish_avatar(db, &actor, now, &upload)?;
            Ok(spindle_wire::Reply::empty()
                .field("avatar_url", &url)?
                .into())
        }),
    }))
}
