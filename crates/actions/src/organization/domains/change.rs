//! Changes whether the subdomains of a domain in the list are allowed as well.

use serde_json::json;
use spindle_events::kinds;
use spindle_store::{Connection, realm_domains};

use super::{missing, normalised};
use crate::account::manage_account::Change;
use crate::{ActionError, Actor};

/// Changes a domain of the list at `now` (UNIX seconds). A value that stays is not emitted.
///
/// # Errors
/// [`ActionError::BadRequest`] when it is not in the list.
pub fn change_realm_domain(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    domain: &str,
    allow_subdomains: bool,
) -> Result<(), ActionError> {
    let domain = normalised(domain);
    Change::if_needed(db, Some(actor), actor.realm_id, now, |change| {
        let (tx, realm_id) = (change.tx, change.realm_id);
        let old = realm_domains::allows_subdomains(tx, realm_id, &domain)?.ok_or_else(missing)?;
        if old != allow_subdomains {
            realm_domains::set_allow_subdomains(tx, realm_id, &domain, allow_subdomains)?;
            let event = kinds::realm_domains_change(&domain, allow_subdomains);
            change.events.push(event);
            let data = json!({"domain": domain, "allow_subdomains": allow_subdomains});
            change.audit(None, "realm_domain_changed", &data)?;
        }
        Ok(())
    })
}
