//! Calls that were claimed and not made, because their service may not be called yet.

use std::collections::BTreeMap;

use spindle_domain::{BotCallId, RealmId, UserId};
use spindle_events::Event;
use spindle_store::{Connection, WriteTx, bot_calls};

use super::Subject;
use super::finish::notify_owner;
use crate::{ActionError, change};

/// Calls that have waited for so long are given up, in seconds.
const PATIENCE_SECS: i64 = 3600;
/// Longest time in seconds for which a call is deferred at a time.
const LONGEST_SECS: i64 = 600;

/// A call that was not made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeferredCall {
    pub id: BotCallId,
    /// The number of the attempt that it would have been.
    pub attempt: i64,
    /// Seconds until its service may be called.
    pub seconds: i64,
}

/// Returns claimed calls, which were not attempted, at `now` (UNIX seconds). All calls of their bots wait with them.
/// Calls that have waited for an hour are given up, and the owner of the bot is notified once.
///
/// # Errors
/// [`ActionError::Store`] and [`ActionError::Internal`].
pub fn defer_bot_calls(
    db: &dyn Connection,
    realm_id: RealmId,
    now: i64,
    deferred: &[DeferredCall],
) -> Result<(), ActionError> {
    change::if_needed(db, realm_id, now, |tx| {
        let (mut waiting, mut events) = (BTreeMap::new(), Vec::new());
        for call in deferred {
            // A call that was claimed again in between belongs to the later claim.
            let Some(row) = bot_calls::by_attempt(tx, call.id, call.attempt)? else {
                continue;
            };
            let due = now + call.seconds.clamp(1, LONGEST_SECS);
            bot_calls::defer(tx, call.id, due)?;
            let latest = waiting.entry(row.bot_id).or_insert(due);
            *latest = due.max(*latest);
        }
        for (bot_id, due) in waiting {
            bot_calls::defer_all(tx, bot_id, now, due)?;
            events.extend(give_up(tx, now, bot_id)?);
        }
        Ok(change::outcome((), events))
    })
}

fn give_up(tx: &WriteTx<'_>, now: i64, bot_id: UserId) -> Result<Vec<Event>, ActionError> {
    let messages = bot_calls::give_up(tx, bot_id, now, now - PATIENCE_SECS)?;
    let Some(first) = messages.first() else {
        return Ok(Vec::new());
    };
    // The bot may be gone, and with it the recipient of the notice.
    let Some(subject) = Subject::read(tx, bot_id, *first)? else {
        return Ok(Vec::new());
    };
    let why = match messages.len() {
        1 => "the service did not answer for an hour".to_owned(),
        number => format!(
            "the service did not answer for an hour; this and {} later messages are given up",
            number - 1
        ),
    };
    notify_owner(tx, now, &subject, &why)
}
