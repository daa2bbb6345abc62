//! The previews of an uploaded image: where each is stored.

use spindle_domain::thumbnails::{self, Thumbnail};
use spindle_domain::{RealmId, media_type};
use spindle_store::attachments::AttachmentRow;

/// In the keys of files that were imported.
const IMPORTED: &str = "/imported/";

/// The key of a file that is imported under a random name.
pub(crate) fn imported_key(realm_id: RealmId, random: &str) -> String {
    format!("uploads/{realm_id}{IMPORTED}{random}")
}

/// The key of the picture of `file` that is called `name`, if there is one. A picture that was
/// imported has no preview; whatever the preview was called there, it is the picture itself. A
/// file that was uploaded here and has none is no picture, or one that must not be decoded.
pub fn thumbnail_key<'f>(file: &'f AttachmentRow, name: &str) -> Option<&'f str> {
    let is_transcoded = file.transcoded_key.is_some();
    let Some(dimensions) = file.dimensions() else {
        let is_picture = media_type::is_shown_picture(&file.content_type);
        return (is_picture && file.blob_key.contains(IMPORTED)).then_some(&file.blob_key);
    };
    match thumbnails::named(name, dimensions, file.moves, is_transcoded)? {
        Thumbnail::Still => file.preview_key.as_deref(),
        Thumbnail::Original => Some(&file.blob_key),
        Thumbnail::Transcoded => file.transcoded_key.as_deref(),
    }
}

/// The name of the copy in full size, of a file that has one.
pub(crate) fn transcoded_name(file: &AttachmentRow) -> Option<String> {
    file.transcoded_key.as_ref()?;
    file.dimensions().map(thumbnails::transcoded_name)
}
