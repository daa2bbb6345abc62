//! Files of an archive: uploads, pictures and apps, stored under names of this server.
//!
//! They are stored unchanged and never decoded; a picture must begin like one. Files that nothing
//! refers to are skipped.

use std::io::{self, Read};

use anyhow::Result;
use spindle_actions::import::{Import, ImportedPicture};
use spindle_domain::limits::MAX_FILE_UPLOAD_SIZE_MIB;
use spindle_domain::media_type;

use super::Files;
use super::apps::{self, Apps};
use spindle_blobs::{BlobKey, Folder};
use spindle_system::progress::Progress;

/// Bytes by which a picture is known.
const BEGINNING: u64 = 16;
/// Pictures of people, emoji and the organization up to this many bytes are taken.
const LARGEST_PICTURE: u64 = (MAX_FILE_UPLOAD_SIZE_MIB as u64) << 20;

/// Whether this file of an archive, which is no table, is one that may be stored.
pub(super) fn is_stored(path: &str) -> bool {
    apps::component(path).is_some() || (path.contains('/') && !path.ends_with("/records.json"))
}

/// Stores every file that something refers to.
pub(super) fn store_all(
    files: &mut dyn Files,
    blobs: &Folder,
    import: &mut Import<'_>,
    mut apps: Apps<'_>,
    progress: &Progress,
) -> Result<()> {
    files.each(progress, &mut |path, content| {
        if !is_stored(path) {
            return Ok(());
        }
        if let Some(path) = path.strip_prefix("uploads/") {
            upload(path, content, blobs, import)
        } else if let Some(name) = apps::component(path) {
            apps.take(name, content, blobs, import)
        } else {
            picture(path, content, blobs, import)
        }
    })?;
    apps.finish(import);
    Ok(())
}

fn upload(
    path: &str,
    content: &mut dyn Read,
    blobs: &Folder,
    import: &mut Import<'_>,
) -> Result<()> {
    let Some(file) = import.upload_at(path)? else {
        import.note("uploaded files that nothing refers to were left out");
        return Ok(());
    };
    let mut beginning = Vec::new();
    content.take(BEGINNING).read_to_end(&mut beginning)?;
    let found = media_type::of_picture(&beginning);
    let mut content_type = media_type::of_upload(found, file.content_type.as_deref(), path);
    if found.is_none() && media_type::is_shown_picture(&content_type) {
        // It only claims to be one.
        media_type::UNKNOWN.clone_into(&mut content_type);
    }
    let mut blob = blobs.begin(&key(&file.blob_key)?, &content_type)?;
    let size = io::copy(&mut beginning.as_slice().chain(content), &mut blob)?;
    blob.finish()?;
    import.upload_stored(&file, &content_type, i64::try_from(size)?)?;
    Ok(())
}

fn picture(
    path: &str,
    content: &mut dyn Read,
    blobs: &Folder,
    import: &mut Import<'_>,
) -> Result<()> {
    let Some(picture) = import.picture_at(path)? else {
        return Ok(());
    };
    if store(&picture, content, blobs)? {
        import.picture_stored(&picture)?;
    } else {
        import.note("pictures that are none, or too large, were left out");
    }
    Ok(())
}

/// Stores a picture, if it is one, and not too large.
fn store(picture: &ImportedPicture, content: &mut dyn Read, blobs: &Folder) -> Result<bool> {
    let mut bytes = Vec::new();
    content.take(LARGEST_PICTURE + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > LARGEST_PICTURE {
        return Ok(false);
    }
    let Some(found) = media_type::of_picture(&bytes) else {
        return Ok(false);
    };
    for name in &picture.keys {
        blobs.put(&key(name)?, found, &bytes)?;
    }
    Ok(true)
}

fn key(text: &str) -> Result<BlobKey> {
    BlobKey::parse(text).ok_or_else(|| anyhow::anyhow!("{text:?} is not the key of a file"))
}
