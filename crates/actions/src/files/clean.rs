//! Cleans up: files that no message has named for weeks, uploads in parts that were given up, and
//! blobs that no row refers to.
//!
//! Called by jobs. The caller deletes the blobs between [`blobs_to_delete`] and [`forget_blobs`], so
//! that a key is forgotten only when its blob is gone.

use serde_json::json;
use spindle_domain::RealmId;
use spindle_domain::limits::UNCLAIMED_FILE_SECS;
use spindle_store::{
    Connection, Freeing, SilentReason, attachments, audit, blob_deletions, resumable_uploads,
};

use super::delete::remove_file;
use crate::{ActionError, change};

/// Most files, and most blobs, of one run; the rest follows with the next.
const AT_ONCE: i64 = 200;

/// Removes files that no message names and that are older than some weeks at `now` (UNIX
/// seconds), and uploads in parts that have expired.
pub fn clean_files(db: &dyn Connection, realm_id: RealmId, now: i64) -> Result<(), ActionError> {
    let db = &Freeing(db);
    let before = now - UNCLAIMED_FILE_SECS;
    if !attachments::unclaimed(db, before, 1)?.is_empty() {
        change::if_needed(db, realm_id, now, |tx| {
            let mut events = Vec::new();
            for file in attachments::unclaimed(tx, before, AT_ONCE)? {
                events.push(remove_file(tx, realm_id, now, &file)?);
                let data = json!({"attachment_id": file.id}).to_string();
                let owner = Some(file.owner_id);
                audit::append(tx, realm_id, now, None, owner, "file_expired", &data)?;
            }
            Ok(change::outcome((), events))
        })?;
    }
    if resumable_uploads::any_expired(db, now)? {
        // Their blobs have been listed for deletion since they began.
        change::silently(db, SilentReason::Files, |tx| {
            Ok(resumable_uploads::delete_expired(tx, now, AT_ONCE)?)
        })?;
    }
    Ok(())
}

/// Keys of the blobs that are due for deletion at `now` (UNIX seconds); more may follow them.
pub fn blobs_to_delete(db: &dyn Connection, now: i64) -> Result<Vec<String>, ActionError> {
    Ok(blob_deletions::due(db, now, AT_ONCE)?)
}

/// Forgets keys whose blobs are gone.
pub fn forget_blobs(db: &dyn Connection, keys: &[String]) -> Result<(), ActionError> {
    let db = &Freeing(db);
    change::silently(db, SilentReason::Files, |tx| {
        blob_deletions::remove(tx, &json!(keys).to_string())?;
        Ok(())
    })
}
