//! What the builder of archives reads and reports. A report about an export that is no longer pending changes nothing,
//! so an archive that was built twice counts once.

use spindle_domain::policy::{Reason, may_have_export};
use spindle_events::Event;
use spindle_store::exports::{self, PendingExport};
use spindle_store::{Connection, Db, Outcome, SilentReason, WriteTx};

use super::{is_everything, realm_export};
use crate::files::take;
use crate::{ActionError, Actor, change};

/// An archive that was stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FinishedExport<'a> {
    /// Where it can be downloaded, below /user_avatars/exports/.
    pub path: &'a str,
    /// Where it is; announced before it was stored.
    pub blob_key: &'a str,
    /// Bytes.
    pub size: i64,
}

/// Seconds for which an export is claimed. Much longer than the clocks of two servers may differ.
const CLAIM_SECS: i64 = 90;

/// Claims the oldest export that is waiting to be built for `builder`, at `now` (UNIX seconds). The claim ends after a
/// minute and a half unless it is renewed; then another builder takes the export.
pub fn claim_export(
    db: &dyn Connection,
    now: i64,
    builder: &str,
) -> Result<Option<PendingExport>, ActionError> {
    if !exports::is_any_due(db, builder, now)? {
        return Ok(None);
    }
    change::silently(db, SilentReason::Housekeeping, |tx| {
        Ok(exports::claim(tx, builder, now, now + CLAIM_SECS)?)
    })
}

/// Renews a claim at `now` (UNIX seconds); false when the export is another builder's, or no longer pending.
pub fn prolong_export(
    db: &dyn Connection,
    now: i64,
    builder: &str,
    export_id: i64,
) -> Result<bool, ActionError> {
    change::silently(db, SilentReason::Housekeeping, |tx| {
        Ok(exports::prolong(tx, export_id, builder, now + CLAIM_SECS)?)
    })
}

/// Notes at `now` (UNIX seconds) that an archive is there.
pub fn finish_export(
    db: &dyn Connection,
    now: i64,
    export: &PendingExport,
    finished: &FinishedExport<'_>,
) -> Result<(), ActionError> {
    let FinishedExport {
        path,
        blob_key,
        size,
    } = *finished;
    change::if_needed(db, export.realm_id, now, |tx| {
        if !exports::finish(tx, export.id, path, blob_key, size)? {
            return Ok(Outcome::Unchanged(()));
        }
        take(tx, &[blob_key])?;
        Ok(change::outcome((), export_changed(tx, export)?))
    })
}

/// Notes at `now` (UNIX seconds) that `builder`, who has claimed it, cannot build an archive.
pub fn fail_export(
    db: &dyn Connection,
    now: i64,
    builder: &str,
    export: &PendingExport,
) -> Result<(), ActionError> {
    change::if_needed(db, export.realm_id, now, |tx| {
        if !exports::set_failed(tx, export.id, builder, now)? {
            return Ok(Outcome::Unchanged(()));
        }
        Ok(change::outcome((), export_changed(tx, export)?))
    })
}

fn export_changed(tx: &WriteTx<'_>, export: &PendingExport) -> Result<Vec<Event>, ActionError> {
    realm_export(tx, export.realm_id, &export.realm_url, &export.export_type)
}

/// The key of the archive at a path below /user_avatars/exports/, for the caller (`None`: a client without an account).
/// The address suffices, except for an archive that holds everything.
///
/// # Errors
/// [`ActionError::NotFound`] when there is none, or the caller may not have it;
/// [`ActionError::Denied`] when it needs an account.
pub fn find_archive(db: &dyn Db, actor: Option<&Actor>, path: &str) -> Result<String, ActionError> {
    let missing = || ActionError::NotFound("There is no such archive".to_owned());
    let archive = exports::archive_at(db, path)?.ok_or_else(missing)?;
    if is_everything(&archive.export_type) {
        let role = actor.ok_or(Reason::NotLoggedIn)?.role;
        may_have_export(role, true).check().map_err(|_| missing())?;
    }
    Ok(archive.blob_key)
}
