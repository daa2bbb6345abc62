//! Deletes one of the caller's own files (docs/protocol/files.md#delete_attachment).
//!
//! Messages that name it keep their link, which is then broken.

use serde_json::json;
use spindle_domain::{AttachmentId, RealmId};
use spindle_events::{Event, kinds};
use spindle_store::attachments::{self, AttachmentRow};
use spindle_store::{Connection, Freeing, WriteTx, audit};

use super::release;
use crate::{ActionError, Actor, change};

/// Deletes the file at `now` (UNIX seconds).
///
/// # Errors
/// [`ActionError::NotFound`] whether there is no such file or it belongs to another user.
pub fn delete_attachment(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    attachment_id: AttachmentId,
) -> Result<(), ActionError> {
    let db = &Freeing(db);
    let (realm_id, user_id) = (actor.realm_id, actor.user_id);
    change::emitting(db, realm_id, now, |tx| {
        let file = attachments::by_id(tx, realm_id, attachment_id)?
            .filter(|file| file.owner_id == user_id)
            .ok_or_else(|| ActionError::NotFound("You have no such file".to_owned()))?;
        let event = remove_file(tx, realm_id, now, &file)?;
        let data = json!({"attachment_id": attachment_id}).to_string();
        let acting = Some(user_id);
        audit::append(tx, realm_id, now, acting, acting, "file_deleted", &data)?;
        Ok(change::made((), event))
    })
}

/// Takes a file away and gives its blobs up; the event is for its owner.
pub(crate) fn remove_file(
    tx: &WriteTx<'_>,
    realm_id: RealmId,
    now: i64,
    file: &AttachmentRow,
) -> Result<Event, ActionError> {
    attachments::delete(tx, file.id)?;
    let mut keys = vec![file.blob_key.as_str()];
    keys.extend(file.preview_key.as_deref());
    keys.extend(file.transcoded_key.as_deref());
    release(tx, &keys, now)?;
    let used = attachments::space_used(tx, realm_id)?;
    Ok(kinds::attachment_remove(file.owner_id, file.id, used))
}
