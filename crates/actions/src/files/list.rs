//! The caller's own files (docs/protocol/files.md#get_attachments).

use spindle_store::{Db, attachments};

use crate::{ActionError, Actor};

/// Files of one account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attachments {
    /// JSON array of records, newest first.
    pub records: String,
    /// Bytes of all files of the organization.
    pub upload_space_used: i64,
}

/// Lists what the caller has uploaded; one statement.
pub fn list_attachments(db: &dyn Db, actor: &Actor) -> Result<Attachments, ActionError> {
    let files = attachments::list(db, actor.realm_id, actor.user_id)?;
    Ok(Attachments {
        records: files.records,
        upload_space_used: files.space_used,
    })
}
