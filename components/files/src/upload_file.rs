//! POST /user_uploads (docs/protocol/files.md#upload_file): one file, with any field name.

use crate::{one_file, picture};
use spindle_actions::files::{FilePreview, begin_upload, finish_upload};
use spindle_domain::limits::MAX_FILE_UPLOAD_SIZE_MIB;
use spindle_domain::media_type;
use spindle_guest::{BlobWork, Call, Failure, Guard, NewBlob, Operation, Reply, Scope};

pub(crate) const OPERATION: Operation =
    Operation::post("upload-file", "/api/v1/user_uploads", Guard::User, run)
        .taking(one_file::body_limit(MAX_FILE_UPLOAD_SIZE_MIB))
        .needing(Scope::Send);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let file = one_file::one_file(call, MAX_FILE_UPLOAD_SIZE_MIB)?;
    let actor = call.actor()?;
    let size = file.content.len();
    let upload = begin_upload(call.db()?, actor, call.now(), &file.file_name, size)?;
    // A file that is not an image, or is too large to decode, gets no preview.
    let preview = spindle_images::preview(&file.content).ok();
    let found = preview.as_ref().map(|preview| preview.media_type);
    let sent = file.content_type.as_deref();
    let content_type = media_type::of_upload(found, sent, &file.file_name);
    let size = preview.as_ref().map(|preview| FilePreview {
        width: preview.width,
        height: preview.height,
        moves: preview.moves,
        is_transcoded: preview.transcoded.is_some(),
    });
    let mut put = vec![NewBlob {
        key: upload.blob_key.clone(),
        content_type: content_type.clone(),
        content: file.content.clone(),
    }];
    if let Some(preview) = preview {
        put.push(picture::blob(&upload.preview_key, preview.picture));
        let transcoded = preview.transcoded;
        put.extend(transcoded.map(|copy| picture::blob(&upload.transcoded_key, copy)));
    }
    Ok(Reply::BlobWork(BlobWork {
        put,
        delete: Vec::new(),
        then: Box::new(move |db, now| {
            let uploaded = finish_upload(db, now, upload, &content_type, size)?;
            let reply = spindle_wire::Reply::empty()
                .field("url", &uploaded.url)?
                // Deprecated twin, which older clients read.
                .field("uri", &uploaded.url)?
                .field("filename", &uploaded.filename)?;
            Ok(reply.into())
        }),
    }))
}
