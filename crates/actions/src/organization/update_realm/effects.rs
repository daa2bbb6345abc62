//! Further changes that follow from a changed setting, beyond the event about the setting itself.

use std::collections::BTreeSet;

use spindle_domain::{RealmId, UserId};
use spindle_events::{Event, credentials_ended};
use spindle_store::{WriteTx, queues};

use super::Changed;
use crate::ActionError;
use crate::access::guest_views::GuestViews;
use crate::account::sessions::end_older;
use crate::permissions::full_members;

/// Carries the consequences out and returns the events about them.
pub(super) fn of(
    tx: &WriteTx<'_>,
    realm_id: RealmId,
    now: i64,
    settings: &[Changed],
    guests: Option<GuestViews>,
) -> Result<Vec<Event>, ActionError> {
    let mut events = Vec::new();
    if let Some(guests) = guests {
        match guests.after_restriction(tx)? {
            Some(changes) => events.extend(changes),
            // Too many for events: the clients of guests register again.
            None => {
                let guests: BTreeSet<UserId> = queues::delete_of_guests(tx, realm_id)?
                    .into_iter()
                    .collect();
                events.extend(guests.into_iter().map(credentials_ended));
            }
        }
    }
    let threshold = settings
        .iter()
        .find(|change| change.name == "waiting_period_threshold");
    if let Some(days) = threshold.and_then(|change| change.value.as_i64()) {
        events.extend(full_members::refresh(tx, realm_id, now, days)?);
    }
    if let Some(length) = settings.iter().find(|change| change.name == "session_days") {
        end_older(tx, now, length.value.as_i64())?;
    }
    Ok(events)
}
