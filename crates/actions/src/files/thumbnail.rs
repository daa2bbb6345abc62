//! The pictures of an uploaded image: where each is stored.

use spindle_domain::thumbnails::{self, Thumbnail};
use spindle_store::attachments::AttachmentRow;

/// The key of the picture of `file` that is called `name`, if there is one.
pub fn thumbnail_key<'f>(file: &'f AttachmentRow, name: &str) -> Option<&'f str> {
    let is_transcoded = file.transcoded_key.is_some();
    match thumbnails::named(name, file.dimensions?, file.moves, is_transcoded)? {
        Thumbnail::Still => file.preview_key.as_deref(),
        Thumbnail::Original => Some(&file.blob_key),
        Thumbnail::Transcoded => file.transcoded_key.as_deref(),
    }
}

/// The name of the copy in full size, of a file that has one.
pub(crate) fn transcoded_name(file: &AttachmentRow) -> Option<String> {
    file.transcoded_key.as_ref()?;
    file.dimensions.map(thumbnails::transcoded_name)
}
