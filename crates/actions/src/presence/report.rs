//! A client reports that it is running (docs/protocol/presence.md#update_presence).

use spindle_domain::limits::{MAX_PUSHED_PRESENCE_USERS, PRESENCE_OFFLINE_THRESHOLD_SECS};
use spindle_domain::{RealmId, UserId, UserSetting, realm_setting};
use spindle_events::{Event, kinds};
use spindle_store::presences::{self, PresenceRow};
use spindle_store::users::UserRow;
use spindle_store::{Connection, Db, Outcome, WriteTx, user_lists, user_settings};

use super::{PresenceQuery, Presences, read};
use crate::access::who_sees::who_sees_user;
use crate::{ActionError, Actor, Settings, change};

/// Reports that come sooner after one another hold nothing new; clients send one a minute.
const MIN_SECONDS_BETWEEN_WRITES: i64 = 55;

/// How far the clocks of clients may be behind.
const CLOCK_SKEW: i64 = 120;

/// The setting of a user that shows their presence.
const SETTING: UserSetting = UserSetting::named("presence_enabled");

/// The report of a client, and what it requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PresenceReport {
    /// Whether the client is in use, or only open.
    pub is_active: bool,
    /// What it wants to know of others; `None` means nothing.
    pub query: Option<PresenceQuery>,
}

/// Records a report of the caller's at `now` (UNIX seconds) and answers what it asks for.
/// A user who has switched their presence off (`presence_enabled`) is not recorded.
pub fn report_presence(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    report: PresenceReport,
) -> Result<Option<Presences>, ActionError> {
    let is_shown = actor.settings().is_on(SETTING)
        && !actor
            .realm_settings()
            .is_on(realm_setting!("presence_disabled"));
    if is_shown {
        let before = presences::by_user(db, actor.user_id)?;
        if tells_anything_new(before, now, report.is_active) {
            write(db, actor, now, report.is_active)?;
        }
    }
    report
        .query
        .map(|query| read::get_presences(db, actor, now, query))
        .transpose()
}

fn tells_anything_new(before: Option<PresenceRow>, now: i64, is_active: bool) -> bool {
    // A time that is so far ahead is of a clock that was set back since.
    let is_old = |time: i64| now.saturating_sub(time).abs() >= MIN_SECONDS_BETWEEN_WRITES;
    before.is_none_or(|before| {
        is_old(before.idle_timestamp) || (is_active && is_old(before.active_timestamp))
    })
}

fn write(db: &dyn Connection, actor: &Actor, now: i64, is_active: bool) -> Result<(), ActionError> {
    let (realm_id, user_id) = (actor.realm_id, actor.user_id);
    change::if_needed(db, realm_id, now, |tx| {
        // It may have been switched off since the caller was authenticated.
        if !Settings::of_user(&user_settings::of_user(tx, user_id)?).is_on(SETTING) {
            return Ok(Outcome::Unchanged(()));
        }
        let before = presences::by_user(tx, user_id)?;
        let after = presences::record(tx, user_id, now, is_active)?;
        let was_offline = before.is_none_or(|before| {
            now.saturating_sub(before.idle_timestamp) > PRESENCE_OFFLINE_THRESHOLD_SECS
        });
        // A user who was already online is seen by polling.
        if !was_offline || !is_pushed(tx, realm_id)? {
            return Ok(Outcome::Unchanged(()));
        }
        let audience = who_sees_user(tx, realm_id, user_id, false)?;
        let presence = presence_of(user_id, &actor.email, now, after);
        Ok(change::outcome((), [kinds::presence(&presence, audience)]))
    })
}

/// In large organizations clients poll: every arrival would be broadcast to all users.
fn is_pushed(db: &dyn Db, realm_id: RealmId) -> Result<bool, ActionError> {
    Ok(user_lists::count_active_people(db, realm_id)? <= MAX_PUSHED_PRESENCE_USERS)
}

fn presence_of(user_id: UserId, email: &str, now: i64, row: PresenceRow) -> kinds::Presence {
    kinds::Presence {
        user_id,
        email: email.to_owned(),
        server_timestamp: now as f64,
        active_timestamp: row.active_timestamp,
        idle_timestamp: row.idle_timestamp,
    }
}

/// Emits the presence of a user who has just switched it on or off, whom clients else would show as before
/// for minutes. On: they are active now. Off: the presence is removed, and clients that have seen it show
/// the user as gone for a while.
pub(crate) fn switch_presence(
    tx: &WriteTx<'_>,
    realm_id: RealmId,
    user: &UserRow,
    now: i64,
    is_on: bool,
) -> Result<Event, ActionError> {
    let row = if is_on {
        presences::record(tx, user.id, now, true)?
    } else {
        presences::forget(tx, user.id)?;
        PresenceRow {
            active_timestamp: 0,
            idle_timestamp: now - PRESENCE_OFFLINE_THRESHOLD_SECS - CLOCK_SKEW,
        }
    };
    let audience = who_sees_user(tx, realm_id, user.id, user.is_bot)?;
    let presence = presence_of(user.id, &user.email, now, row);
    Ok(kinds::presence(&presence, audience))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_hardly_changes_anything_is_not_written() {
        let before = Some(PresenceRow {
            active_timestamp: 100,
            idle_timestamp: 200,
        });
        assert!(tells_anything_new(None, 5, false));
        assert!(!tells_anything_new(before, 254, false));
        assert!(tells_anything_new(before, 255, false));
        assert!(tells_anything_new(before, 210, true));
        assert!(!tells_anything_new(before, 150, true));
        assert!(tells_anything_new(before, 140, false), "set back");
    }
}
