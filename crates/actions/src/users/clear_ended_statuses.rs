//! Clears the statuses whose time is over (docs/protocol/presence.md#end).

use spindle_domain::{RealmId, UserId};
use spindle_events::kinds::{self, StatusEmoji, UserStatusChange};
use spindle_store::statuses::{self, StatusChange};
use spindle_store::{Connection, Outcome};

use crate::access::who_sees::who_sees_user;
use crate::{ActionError, change};

/// Statuses that one call clears at most.
const CLEARED_AT_ONCE: usize = 100;

/// Clears what has ended at `now` (UNIX seconds), the first to end first; returns whether that was
/// all.
///
/// # Errors
/// Those of the statements; what was cleared before stays so.
pub fn clear_ended_statuses(
    db: &dyn Connection,
    realm_id: RealmId,
    now: i64,
) -> Result<bool, ActionError> {
    let ended = statuses::ended(db, now, CLEARED_AT_ONCE as i64)?;
    for one in &ended {
        clear(db, realm_id, now, one.user_id)?;
    }
    Ok(ended.len() < CLEARED_AT_ONCE)
}

fn clear(
    db: &dyn Connection,
    realm_id: RealmId,
    now: i64,
    user_id: UserId,
) -> Result<(), ActionError> {
    change::if_needed(db, realm_id, now, |tx| {
        // Another status may have been set since the list was read.
        let status = statuses::by_user(tx, user_id)?;
        let end = status.and_then(|status| status.scheduled_end_time);
        if end.is_none_or(|end| end > now) {
            return Ok(Outcome::Unchanged(()));
        }
        let emoji = StatusEmoji::cleared();
        let cleared = StatusChange {
            status_text: Some(""),
            emoji: Some(emoji.parts()),
            scheduled_end_time: Some(None),
        };
        statuses::upsert(tx, user_id, &cleared, now)?;
        let event = UserStatusChange {
            away: None,
            status_text: Some(String::new()),
            emoji: Some(emoji.clone()),
            scheduled_end_time: Some(None),
        };
        let audience = who_sees_user(tx, realm_id, user_id, false)?;
        let event = kinds::user_status(user_id, event, audience);
        Ok(change::outcome((), [event]))
    })
}
