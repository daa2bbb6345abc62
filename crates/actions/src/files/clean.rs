//! Cleans up: files that no message has named for weeks, uploads in parts that were given up, and
//! blobs that nobody needs.
//!
//! Called by a job. The blobs themselves are deleted by the caller between the two functions,
//! so that a key is forgotten only when its blob is gone.

use serde_json::json;
use spindle_domain::limits::UNCLAIMED_FILE_SECS;
use spindle_store::{Db, Emitted, WriteTx, attachments, audit, blob_deletions, resumable_uploads};

use super::delete::remove;
use crate::{ActionError, emit};

/// Most files, and most blobs, of one run; the rest follows with the next.
const AT_ONCE: i64 = 200;

/// Removes files that no message names and that are older than some weeks at `now` (UNIX
/// seconds), and uploads in parts that have expired. Returns the keys of the blobs that are due.
///
/// # Errors
/// [`ActionError::Store`].
pub fn clean_files(db: &dyn Db, realm_id: i64, now: i64) -> Result<Vec<String>, ActionError> {
    let before = now - UNCLAIMED_FILE_SECS;
    if !attachments::unclaimed(db, before, 1)?.is_empty() {
        let tx = WriteTx::begin(db)?;
        let mut events = Vec::new();
        for file in attachments::unclaimed(&tx, before, AT_ONCE)? {
            events.push(remove(&tx, realm_id, now, &file)?);
            let data = json!({"attachment_id": file.id}).to_string();
            let owner = Some(file.owner_id);
            audit::append(&tx, realm_id, now, None, owner, "file_expired", &data)?;
        }
        tx.commit(realm_id, now, emit::events(events))?;
    }
    if resumable_uploads::any_expired(db, now)? {
        let tx = WriteTx::begin(db)?;
        resumable_uploads::delete_expired(&tx, now, AT_ONCE)?;
        // Their blobs stand among those to be deleted since they began.
        tx.commit(realm_id, now, Emitted::Nothing("only its owner knew of it"))?;
    }
    Ok(blob_deletions::due(db, now, AT_ONCE)?)
}

/// Forgets keys whose blobs are gone.
///
/// # Errors
/// [`ActionError::Store`].
pub fn forget_blobs(
    db: &dyn Db,
    realm_id: i64,
    now: i64,
    keys: &[String],
) -> Result<(), ActionError> {
    let tx = WriteTx::begin(db)?;
    blob_deletions::remove(&tx, &json!(keys).to_string())?;
    tx.commit(realm_id, now, Emitted::Nothing("nobody can notice"))?;
    Ok(())
}
