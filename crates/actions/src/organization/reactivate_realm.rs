//! Takes a deactivated organization back. Only the operator can: no user can sign in.

use serde_json::json;
use spindle_domain::RealmId;
use spindle_store::{Connection, SilentReason, realms};

use crate::ActionError;
use crate::account::manage_account::Change;

/// Reactivates the organization at `now` (UNIX seconds); keys and passwords are valid again.
pub fn reactivate_realm(
    db: &dyn Connection,
    realm_id: RealmId,
    now: i64,
) -> Result<(), ActionError> {
    Change::silently(db, SilentReason::NoClients, None, realm_id, now, |change| {
        if realms::set_deactivated(change.tx, realm_id, false)? {
            change.audit(None, "realm_reactivated", &json!({}))?;
        }
        Ok(())
    })
}
