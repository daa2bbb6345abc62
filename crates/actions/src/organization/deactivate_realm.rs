//! Deactivates the organization: no key works until the operator reactivates it (POST
//! /realm/deactivate; docs/protocol/errors.md#statuses, docs/protocol/events.md#realm). Nothing is
//! deleted.

use serde_json::json;
use spindle_domain::RealmId;
use spindle_events::{Audience, kinds};
use spindle_store::{Connection, realms};

use crate::account::manage_account::Change;
use crate::{ActionError, Actor};

/// Deactivates the organization at `now` (UNIX seconds); `acting` is none for the operator.
/// Clients that wait for events receive this one before they are refused. Nothing happens when
/// the organization is deactivated already.
pub fn deactivate_realm(
    db: &dyn Connection,
    acting: Option<&Actor>,
    realm_id: RealmId,
    now: i64,
) -> Result<(), ActionError> {
    Change::if_needed(db, acting, realm_id, now, |change| {
        if realms::set_deactivated(change.tx, realm_id, true)? {
            let event = kinds::realm_deactivated(realm_id, Audience::realm());
            change.events.push(event);
            change.audit(None, "realm_deactivated", &json!({}))?;
        }
        Ok(())
    })
}
