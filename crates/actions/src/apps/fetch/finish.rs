//! The outcome of a request: its answer becomes an event, or it is made again.

use spindle_domain::apps::limits::{self, ANSWER_BYTES, RETRY_SECONDS};
use spindle_domain::apps::{Happening, Scope};
use spindle_domain::{AppFetchId, RealmId};
use spindle_store::apps::{self, events, fetches};
use spindle_store::{Connection, SilentReason, WriteTx};

use crate::app_events::{Installed, note};
use crate::{ActionError, change};

/// Seconds until a request is made again whose answer found too many events waiting.
const CROWDED_SECS: i64 = 60;

/// The outcome of one attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FinishedFetch {
    pub id: AppFetchId,
    /// The number of the attempt; the outcome of one that was given up is ignored.
    pub attempt: i64,
    /// HTTP status and body, or why there is no answer.
    pub answer: Result<(u16, String), String>,
    /// Whether another attempt may have another outcome.
    pub is_worth_repeating: bool,
}

/// Records the outcome of an attempt at `now` (UNIX seconds). Without an answer it is made again, four times in all.
///
/// # Errors
/// [`ActionError::Store`] and [`ActionError::Internal`].
pub fn finish_app_fetch(
    db: &dyn Connection,
    realm_id: RealmId,
    now: i64,
    finished: &FinishedFetch,
) -> Result<(), ActionError> {
    change::silently(db, SilentReason::Apps, |tx| {
        let Some(row) = fetches::by_attempt(tx, finished.id, finished.attempt)? else {
            return Ok(());
        };
        let Some(app) = apps::by_id(tx, realm_id, row.app_id)? else {
            return Ok(());
        };
        let failed = usize::try_from(finished.attempt - 1).unwrap_or(usize::MAX);
        match (&finished.answer, RETRY_SECONDS.get(failed)) {
            (Err(_), Some(pause)) if finished.is_worth_repeating => {
                Ok(fetches::postpone(tx, row.id, now + pause)?)
            }
            // It is made again when there is room for its answer.
            (Ok(_), _) if events::count(tx, row.app_id)? >= limits::WAITING_EVENTS => {
                Ok(fetches::postpone(tx, row.id, now + CROWDED_SECS)?)
            }
            (answer, _) => {
                fetches::delete(tx, row.id)?;
                note_answer(tx, now, &Installed::of(app)?, &row, answer.clone())
            }
        }
    })
}

pub(super) fn note_answer(
    tx: &WriteTx<'_>,
    now: i64,
    app: &Installed,
    row: &fetches::FetchRow,
    answer: Result<(u16, String), String>,
) -> Result<(), ActionError> {
    let scope: Scope = row
        .scope
        .parse()
        .map_err(|error| ActionError::Internal(format!("a stored scope: {error}")))?;
    let (status, body, failure) = match answer {
        Ok((_, body)) if body.len() > ANSWER_BYTES => {
            let why = format!("the answer has more than {ANSWER_BYTES} bytes");
            (0, String::new(), Some(why))
        }
        Ok((status, body)) => (status, body, None),
        Err(why) => (0, String::new(), Some(why)),
    };
    let what = Happening::Answer {
        id: row.name.clone(),
        status,
        body,
        failure,
    };
    note(tx, app, now, scope, None, &what).map(drop)
}
