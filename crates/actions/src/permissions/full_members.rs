//! Keeps `role:fullmembers` true as time passes and as the waiting period changes
//! (docs/protocol/permissions.md#system-groups, `realm_waiting_period_threshold`).
//!
//! Permissions, registrations and events all read the rows of the group; a job adds members to it, at
//! most an hour late.

use serde_json::json;
use spindle_domain::{GroupId, RealmId, Role, SystemGroup, UserId, realm_setting};
use spindle_events::{Audience, Event, kinds};
use spindle_store::groups::{self, WaitingRow};
use spindle_store::{Connection, Db, DbError, WriteTx, audit, id_list, realms};

use crate::access::channel_sight::ChannelSight;
use crate::permissions::system_groups::SystemGroups;
use crate::{ActionError, Settings, change};

/// Seconds in a day.
const DAY: i64 = 86_400;

/// What the timer does: moves members who have waited long enough into the full members, at
/// `now` (UNIX seconds). Returns how many were moved. No lock is taken when no user is due.
pub fn promote_full_members(
    db: &dyn Connection,
    realm_id: RealmId,
    now: i64,
) -> Result<usize, ActionError> {
    if realms::by_id(db, realm_id)?.is_none() {
        return Ok(0);
    }
    if due(db, realm_id, now, waiting_period(db, realm_id)?)?
        .1
        .is_empty()
    {
        return Ok(0);
    }
    change::if_needed(db, realm_id, now, |tx| {
        let days = waiting_period(tx, realm_id)?;
        let moved = due(tx, realm_id, now, days)?.1.len();
        let events = refresh(tx, realm_id, now, days)?;
        Ok(change::outcome(moved, events))
    })
}

/// Makes exactly the users full members who have waited for `days`, within the change of the caller who has changed the
/// waiting period; returns the events.
pub(crate) fn refresh(
    tx: &WriteTx<'_>,
    realm_id: RealmId,
    now: i64,
    days: i64,
) -> Result<Vec<Event>, ActionError> {
    let (group_id, due) = due(tx, realm_id, now, days)?;
    let ids = |is_full_member: bool, active_only: bool| -> Vec<UserId> {
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
    let members = due.iter().map(|row| row.user_id);
    let sight = ChannelSight::before(tx, realm_id, now, group_id, members, [])?;
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
    events.extend(sight.after(tx)?);
    Ok(events)
}

/// Days that members wait.
fn waiting_period(db: &dyn Db, realm_id: RealmId) -> Result<i64, ActionError> {
    let realm = realms::by_id(db, realm_id)?.ok_or(DbError::NoRow)?;
    Ok(Settings::of_realm(&realm.settings).integer(realm_setting!("waiting_period_threshold")))
}

/// The group of the full members, and the users whose membership in it is wrong.
fn due(
    db: &dyn Db,
    realm_id: RealmId,
    now: i64,
    days: i64,
) -> Result<(GroupId, Vec<WaitingRow>), ActionError> {
    let group_id = SystemGroups::read(db, realm_id)?.id(SystemGroup::FullMembers)?;
    let cutoff = now.saturating_sub(days.saturating_mul(DAY));
    Ok((
        group_id,
        groups::waiting(db, realm_id, group_id, Role::Member, cutoff)?,
    ))
}
