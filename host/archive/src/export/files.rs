//! Directories of files, with a list of each (docs/protocol/archive.md#package).

use serde_json::json;
use spindle_actions::organization::{emoji_key, realm_picture_key};
use spindle_actions::users::avatar_key;
use spindle_store::{archive, pictures};

use super::ExportError;
use super::pack::Pack;
use super::snapshot::Snapshot;

/// Writes all four folders.
pub(super) fn all(pack: &mut Pack<'_>, snapshot: &Snapshot<'_>) -> Result<(), ExportError> {
    uploads(pack, snapshot)?;
    avatars(pack, snapshot)?;
    emoji(pack, snapshot)?;
    icons(pack, snapshot)
}

fn uploads(pack: &mut Pack<'_>, snapshot: &Snapshot<'_>) -> Result<(), ExportError> {
    let mut records = Vec::new();
    for file in archive::files(snapshot.db, snapshot.realm_id.into())? {
        if pack
            .blob(&format!("uploads/{}", file.path_id), &file.blob_key)?
            .is_some()
        {
            records.push(json!({
                "realm_id": snapshot.realm_id,
                "user_profile_id": file.owner_id,
                "user_profile_email": file.owner_email,
                "s3_path": file.path_id,
                "path": file.path_id,
                "size": file.size,
                "last_modified": seconds(file.created),
                "content_type": file.content_type,
            }));
        }
    }
    pack.records("uploads", &records)
}

fn avatars(pack: &mut Pack<'_>, snapshot: &Snapshot<'_>) -> Result<(), ExportError> {
    let realm_id = snapshot.realm_id;
    let mut records = Vec::new();
    for picture in archive::avatars(snapshot.db, realm_id.into())? {
        // The large version is closest to the original, which is not stored.
        for (ending, medium) in [("original", true), ("png", false)] {
            let path = format!("{realm_id}/{}.{ending}", picture.name);
            let key = avatar_key(realm_id.into(), &picture.name, medium);
            if let Some(size) = pack.blob(&format!("avatars/{path}"), &key)? {
                records.push(json!({
                    "realm_id": realm_id,
                    "user_profile_id": picture.user_id,
                    "user_profile_email": picture.email,
                    "s3_path": path,
                    "path": path,
                    "size": size,
                    "last_modified": pack.time(),
                    "content_type": null,
                }));
            }
        }
    }
    pack.records("avatars", &records)
}

fn emoji(pack: &mut Pack<'_>, snapshot: &Snapshot<'_>) -> Result<(), ExportError> {
    let realm_id = snapshot.realm_id;
    let mut records = Vec::new();
    for emoji in archive::emoji(snapshot.db, realm_id.into())? {
        let still = emoji.still_file_name.as_deref();
        let files = [("", Some(emoji.file_name.as_str())), ("still/", still)];
        for (folder, file) in files {
            let Some(file) = file else { continue };
            let path = format!("{realm_id}/emoji/images/{folder}{file}");
            if pack
                .blob(&format!("emoji/{path}"), &emoji_key(realm_id.into(), file))?
                .is_some()
            {
                records.push(json!({
                    "realm_id": realm_id,
                    "author": emoji.author_id,
                    "path": path,
                    "s3_path": path,
                    "file_name": file,
                    "name": emoji.name,
                    "deactivated": emoji.deactivated,
                }));
            }
        }
    }
    records.sort_by_key(|record| record["path"].to_string());
    pack.records("emoji", &records)
}

fn icons(pack: &mut Pack<'_>, snapshot: &Snapshot<'_>) -> Result<(), ExportError> {
    let realm_id = snapshot.realm_id;
    let pictures = pictures::of_realm(snapshot.db, realm_id.into())?;
    let mut records = Vec::new();
    for (name, (stored, _)) in [
        ("icon", pictures.icon),
        ("logo", pictures.logo),
        ("night_logo", pictures.night_logo),
    ] {
        let Some(stored) = stored else { continue };
        let path = format!("{realm_id}/{name}.original");
        let key = realm_picture_key(realm_id.into(), &stored);
        if pack.blob(&format!("realm_icons/{path}"), &key)?.is_some() {
            records.push(json!({"realm_id": realm_id, "path": path, "s3_path": path}));
        }
    }
    pack.records("realm_icons", &records)
}

/// A time in the layout's format.
#[allow(clippy::cast_precision_loss)] // exact for 285 million years
fn seconds(time: i64) -> f64 {
    time as f64
}
