//! POST /realm/emoji/{emoji_name} (docs/protocol/emoji.md#upload_emoji): permission and name, then
//! the file.

use crate::{one_file, picture};
use spindle_actions::organization::{begin_emoji, check_new_emoji, finish_emoji};
use spindle_domain::limits::MAX_EMOJI_FILE_SIZE_MIB;
use spindle_guest::{BlobWork, Call, Failure, Guard, Operation, Reply};

pub(crate) const OPERATION: Operation = Operation::post(
    "upload-emoji",
    "/api/v1/realm/emoji/{emoji_name}",
    Guard::User,
    run,
)
.taking(one_file::body_limit(MAX_EMOJI_FILE_SIZE_MIB));

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let name = call.path_text("emoji_name")?;
    let actor = call.actor()?.clone();
    check_new_emoji(call.db()?, &actor, name)?;
    let file = one_file::one_file(call, MAX_EMOJI_FILE_SIZE_MIB)?;
    let emoji = spindle_images::emoji(&file.content).map_err(picture::refusal)?;
    let is_moving = emoji.still.is_some();
    let upload = begin_emoji(call.db()?, &actor, call.now(), name, is_moving)?;
    let realm_id = actor.realm_id;
    let mut put = vec![picture::blob(upload.blob_key(realm_id), emoji.picture)];
    if let (Some(key), Some(still)) = (upload.still_key(realm_id), emoji.still) {
        put.push(picture::blob(key, still));
    }
    Ok(Reply::BlobWork(BlobWork {
        put,
        delete: Vec::new(),
        then: Box::new(move |db, now| {
            finish_emoji(db, &actor, now, &upload)?;
            Ok(spindle_wire::Reply::empty().into())
        }),
    }))
}
