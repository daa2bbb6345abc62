//! Notes at every start whether the operator has configured a push service.

use spindle_domain::RealmId;
use spindle_events::{Audience, Event, kinds};
use spindle_store::{Connection, event_log, push_calls, push_service};

use super::{NOT_CONFIGURED, registered};
use crate::{ActionError, change};

/// Notes at `now` (UNIX seconds) whether a push service is configured, and emits an event when
/// that has changed. Messages count from the first start with a service on. Without one, what
/// waited for it has failed.
pub fn configure_push_service(
    db: &dyn Connection,
    realm_id: RealmId,
    now: i64,
    is_configured: bool,
) -> Result<(), ActionError> {
    if push_service::state(db, realm_id)?.is_some() == is_configured {
        return Ok(());
    }
    change::emitting(db, realm_id, now, |tx| {
        let mut events = Vec::new();
        if is_configured {
            push_service::configure(tx, realm_id, event_log::position(tx)?)?;
        } else {
            for row in push_calls::delete_all(tx)? {
                events.extend(registered::fail(tx, &row, NOT_CONFIGURED)?);
            }
            push_calls::forget_all_pushed(tx)?;
            push_service::forget(tx, realm_id)?;
        }
        let enabled = enabled_event(is_configured);
        Ok(change::made_after((), events, enabled))
    })
}

/// The event for all users when phones begin or cease to be reached.
pub(super) fn enabled_event(is_enabled: bool) -> Event {
    let property = "push_notifications_enabled";
    kinds::realm_update(property, is_enabled.into(), Audience::realm())
}
