//! How long sessions last, which the organization chooses.

use spindle_domain::limits::SESSION_DAYS;
use spindle_store::{WriteTx, sessions};

use super::expired_before;
use crate::ActionError;

/// Seconds of a day.
const DAY: i64 = 24 * 60 * 60;

/// The step that ends the sessions that are over with a new length in days: a longer one, chosen later, must not bring
/// them back.
pub(crate) fn end_older(tx: &WriteTx<'_>, now: i64, days: Option<i64>) -> Result<(), ActionError> {
    let lasts = days.unwrap_or(SESSION_DAYS) * DAY;
    sessions::delete_expired(tx, expired_before(now, lasts))?;
    Ok(())
}
