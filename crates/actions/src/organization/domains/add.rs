//! Adds a domain to the list.

use serde_json::json;
use spindle_domain::address::is_domain;
use spindle_domain::limits::quotas::Quota;
use spindle_events::kinds;
use spindle_store::{Connection, DbError, realm_domains};

use super::normalised;
use crate::account::manage_account::Change;
use crate::{ActionError, Actor, quota};

/// Adds a domain at `now` (UNIX seconds); returns its id and how it is kept: trimmed and in
/// lower case.
///
/// # Errors
/// [`ActionError::BadRequest`] when it is no domain, or in the list already.
pub fn add_realm_domain(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    domain: &str,
    allow_subdomains: bool,
) -> Result<(i64, String), ActionError> {
    let domain = normalised(domain);
    if !is_domain(&domain) {
        return Err(ActionError::bad_request(
            "This is not a domain of email addresses",
        ));
    }
    Change::emitting(db, Some(actor), actor.realm_id, now, |change| {
        let id = realm_domains::insert(change.tx, change.realm_id, &domain, allow_subdomains)
            .map_err(|error| match error {
                DbError::NotUnique(_) => {
                    ActionError::bad_request("This domain is already in the list")
                }
                other => other.into(),
            })?;
        quota::check(change.tx, Quota::Domains, change.realm_id)?;
        let event = kinds::realm_domains_add(&domain, allow_subdomains);
        change.events.push(event);
        let data = json!({"domain": domain, "allow_subdomains": allow_subdomains});
        change.audit(None, "realm_domain_added", &data)?;
        Ok((id, domain.clone()))
    })
}
