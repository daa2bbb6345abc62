//! Uploaded files and custom emoji in a message: previews, pictures, and the claim that gives the
//! readers of the message access to the files.
//!
//! A file that the sender may not have is treated as one that does not exist: a link to it
//! stays a link, and gives no user access to it.

use std::collections::BTreeSet;

use serde_json::json;
use spindle_domain::{MessageId, RealmId};
use spindle_events::{Event, kinds};
use spindle_markup::{CustomEmoji, Directory, References, UploadedFile};
use spindle_store::attachments::{self, AttachmentRow};
use spindle_store::{Db, WriteTx, id_list, realm_emoji};

use crate::files::{may_use, reader_of, transcoded_name};
use crate::json_record::parse_record;
use crate::{ActionError, Actor};

/// Files that a content names and that the sender may have.
pub(crate) struct Uploads(Vec<AttachmentRow>);

impl Uploads {
    /// Looks them up: no statement without links to uploads, one when all are the sender's own.
    pub(crate) fn find(
        db: &dyn Db,
        actor: &Actor,
        references: &References,
    ) -> Result<Self, ActionError> {
        if references.upload_paths.is_empty() {
            return Ok(Self(Vec::new()));
        }
        let realm_id = actor.realm_id;
        let paths = json!(references.upload_paths).to_string();
        let reader = reader_of(db, Some(actor), realm_id)?;
        let mut usable = Vec::new();
        for file in attachments::by_paths(db, realm_id, &paths)? {
            if may_use(db, &reader, &file)? {
                usable.push(file);
            }
        }
        Ok(Self(usable))
    }

    /// Resolves no files.
    pub(crate) const fn none() -> Self {
        Self(Vec::new())
    }

    /// What previews need to know of a file.
    pub(crate) fn shown(&self, path_id: &str) -> Option<UploadedFile> {
        let file = self.0.iter().find(|file| file.path_id == path_id)?;
        let dimensions = file.dimensions().and_then(|(width, height)| {
            Some((u32::try_from(width).ok()?, u32::try_from(height).ok()?))
        });
        Some(UploadedFile {
            content_type: file.content_type.clone(),
            dimensions,
            is_animated: file.moves,
            // Both come into being with the upload.
            has_thumbnails: dimensions.is_some(),
            transcoded_image: transcoded_name(file),
        })
    }

    /// The given files that the content really links to.
    pub(crate) fn linked(self, path_ids: &BTreeSet<String>) -> Vec<AttachmentRow> {
        self.0
            .into_iter()
            .filter(|file| path_ids.contains(&file.path_id))
            .collect()
    }
}

/// Adds the active custom emoji that a content may use.
pub(crate) fn add_custom_emoji(
    db: &dyn Db,
    actor: &Actor,
    references: &References,
    directory: &mut Directory,
) -> Result<(), ActionError> {
    if references.emoji_names.is_empty() {
        return Ok(());
    }
    let names = json!(references.emoji_names).to_string();
    for emoji in realm_emoji::active(db, actor.realm_id, &names)? {
        directory.add_custom_emoji(CustomEmoji {
            name: emoji.name,
            source_url: emoji.source_url,
        });
    }
    Ok(())
}

/// Notes that a message names these files; the event about each is for its owner.
pub(crate) fn claim(
    tx: &WriteTx<'_>,
    realm_id: RealmId,
    message_id: MessageId,
    files: &[AttachmentRow],
) -> Result<Vec<Event>, ActionError> {
    if files.is_empty() {
        return Ok(Vec::new());
    }
    let ids = id_list(files.iter().map(|file| file.id));
    attachments::claim(tx, message_id, &ids)?;
    let used = attachments::space_used(tx, realm_id)?;
    let mut events = Vec::new();
    for file in files {
        // It may have been deleted since it was looked up.
        if attachments::by_id(tx, realm_id, file.id)?.is_none() {
            continue;
        }
        let record = parse_record(&attachments::record(tx, file.id)?)?;
        events.push(kinds::attachment_update(file.owner_id, record, used));
    }
    Ok(events)
}
