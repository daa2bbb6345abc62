//! Keeps `role:fullmembers` true as time passes and as the waiting period changes
//! (protocol-facts 1.7, `realm_waiting_period_threshold`).
//!
//! Who is a full member is what the rows say, for permissions, registrations and events alike;
//! a member becomes one when the timer comes by, at most an hour late.

use serde_json::json;
use spindle_domain::{Role, SystemGroup};
use spindle_events::{Audience, Event, kinds};
use spindle_store::groups::{self, WaitingRow};
use spindle_store::{Db, WriteTx, audit, id_list, realms};

use crate::system_groups::SystemGroups;
use crate::{ActionError, Settings, emit};

/// Seconds in a day.
const DAY: i64 = 86_400;

/// What the timer does: moves members who have waited long enough into the full members, at
/// `now` (UNIX seconds). Returns how many were moved. Nothing is locked when nobody is due.
///
/// # Errors
/// [`ActionError::Store`].
pub fn promote_full_members(db: &dyn Db, realm_id: i64, now: i64) -> Result<usize, ActionError> {
    let Some(realm) = realms::by_id(db, realm_id)? else {
        return Ok(0);
    };
    let settings = Settings::of_realm(&realm.settings);
    if due(db, realm_id, now, &settings)?.1.is_empty() {
        return Ok(0);
    }
    let tx = WriteTx::begin(db)?;
    let moved = due(&tx, realm_id, now, &settings)?.1.len();
    let events = refresh_full_members(&tx, realm_id, now, &settings)?;
    tx.commit(realm_id, now, emit::events(events))?;
    Ok(moved)
}

/// Makes the full members those who have waited long enough by these settings, within the
/// change of whoever has changed them; returns the events.
///
/// # Errors
/// [`ActionError::Store`].
pub(crate) fn refresh_full_members(
    tx: &WriteTx<'_>,
    realm_id: i64,
    now: i64,
    settings: &Settings,
) -> Result<Vec<Event>, ActionError> {
    let (group_id, due) = due(tx, realm_id, now, settings)?;
    let ids = |is_full_member: bool, active_only: bool| -> Vec<i64> {
        due.iter()
            .filter(|row| row.is_full_member == is_full_member)
            .filter(|row| row.is_active || !active_only)
            .map(|row| row.user_id)
            .collect()
    };
    let (come, gone) = (ids(false, false), ids(true, false));
    if come.is_empty() && gone.is_empty() {
        return Ok(Vec::new());
    }
    groups::add_members(tx, group_id, &id_list(come.iter().copied()))?;
    groups::remove_members(tx, group_id, &id_list(gone.iter().copied()))?;
    let data = json!({"added": come, "removed": gone}).to_string();
    audit::append(tx, realm_id, now, None, None, "full_members_changed", &data)?;
    let mut events = Vec::new();
    let (come, gone) = (ids(false, true), ids(true, true));
    if !come.is_empty() {
        events.push(kinds::user_group_add_members(
            group_id,
            &come,
            Audience::realm(),
        ));
    }
    if !gone.is_empty() {
        events.push(kinds::user_group_remove_members(
            group_id,
            &gone,
            Audience::realm(),
        ));
    }
    Ok(events)
}

/// The group of the full members, and everybody whose place is wrong.
fn due(
    db: &dyn Db,
    realm_id: i64,
    now: i64,
    settings: &Settings,
) -> Result<(i64, Vec<WaitingRow>), ActionError> {
    let group_id = SystemGroups::read(db, realm_id)?.id(SystemGroup::FullMembers)?;
    let threshold = settings.integer("waiting_period_threshold");
    let cutoff = now.saturating_sub(threshold.saturating_mul(DAY));
    let role = Role::Member.as_i64();
    Ok((
        group_id,
        groups::waiting(db, realm_id, group_id, role, cutoff)?,
    ))
}
