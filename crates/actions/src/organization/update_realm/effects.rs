//! Further changes that follow from a changed setting, beyond the event about the setting itself.

use spindle_domain::RealmId;
use spindle_events::{Event, Record};
use spindle_store::{WriteTx, queues};

use super::Changed;
use crate::ActionError;
use crate::user_groups::full_members;

/// Carries the consequences out and returns the events about them.
pub(super) fn of(
    tx: &WriteTx<'_>,
    realm_id: RealmId,
    now: i64,
    settings: &[Changed],
    permissions: &Record,
) -> Result<Vec<Event>, ActionError> {
    if permissions.contains_key("can_access_all_users_group") {
        // What guests may see has changed, and no event could hold all of it: their
        // clients begin anew.
        queues::delete_of_guests(tx, realm_id)?;
    }
    let mut events = Vec::new();
    let threshold = settings
        .iter()
        .find(|change| change.name == "waiting_period_threshold");
    if let Some(days) = threshold.and_then(|change| change.value.as_i64()) {
        events.extend(full_members::refresh(tx, realm_id, now, days)?);
    }
    Ok(events)
}
