//! The files of the demo organization: stored as blobs, then uploaded by an account.

use anyhow::{Result, anyhow};
use spindle_actions::Actor;
use spindle_actions::files::{FilePreview, begin_upload, finish_upload};
use spindle_store::Connection;

use super::super::explain;
use super::said::{FILES, File};
use spindle_blobs::{BlobKey, BlobStore};

/// A text with each `{file:NAME}` replaced by a link to that file, which the sender uploads.
pub(super) fn with_files(
    db: &dyn Connection,
    blobs: &BlobStore,
    sender: &Actor,
    now: i64,
    text: &str,
) -> Result<String> {
    let mut text = text.to_owned();
    for file in FILES {
        let blank = format!("{{file:{}}}", file.name);
        if text.contains(&blank) {
            let url = upload(db, blobs, sender, now, file)?;
            text = text.replace(&blank, &format!("[{}]({url})", file.name));
        }
    }
    Ok(text)
}

/// Uploads a file; returns its path. A picture is small enough to be its own preview.
fn upload(
    db: &dyn Connection,
    blobs: &BlobStore,
    sender: &Actor,
    now: i64,
    file: &File,
) -> Result<String> {
    let upload = begin_upload(db, sender, now, file.name, file.content.len()).map_err(explain)?;
    let mut keys = vec![upload.blob_key.clone()];
    keys.extend(file.dimensions.map(|_| upload.preview_key.clone()));
    for key in keys {
        let key = BlobKey::parse(&key).ok_or_else(|| anyhow!("{key} is no key of a blob"))?;
        blobs.put_blocking(&key, file.media_type, file.content)?;
    }
    let preview = file.dimensions.map(|(width, height)| FilePreview {
        width,
        height,
        moves: false,
        is_transcoded: false,
    });
    let uploaded = finish_upload(db, now, upload, file.media_type, preview).map_err(explain)?;
    Ok(uploaded.url)
}
