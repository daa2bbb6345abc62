//! Deletes mails that have ended some time ago.

use spindle_domain::mail::ENDED_MAIL_SECS;
use spindle_store::{Connection, SilentReason, mails};

use crate::{ActionError, change};

/// Deletes the mails that have ended more than [`ENDED_MAIL_SECS`] before `now` (UNIX seconds). Nothing is locked when there
/// is nothing to do.
pub fn clean_mails(db: &dyn Connection, now: i64) -> Result<(), ActionError> {
    let before = now - ENDED_MAIL_SECS;
    if !mails::any_ended_before(db, before)? {
        return Ok(());
    }
    change::silently(db, SilentReason::Housekeeping, |tx| {
        Ok(mails::delete_ended_before(tx, before)?)
    })
}
