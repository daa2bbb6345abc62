//! Removes a domain from the list. Accounts that have it keep their addresses.

use serde_json::json;
use spindle_domain::realm_setting;
use spindle_events::{Audience, kinds};
use spindle_store::{Connection, DbError, realm_domains, realms};

use super::{missing, normalised};
use crate::account::manage_account::Change;
use crate::{ActionError, Actor, Settings};

/// The setting that needs a list.
const RESTRICTED: &str = "emails_restricted_to_domains";

/// Removes a domain at `now` (UNIX seconds). With the last one the restriction ends, because no
/// address could be admitted otherwise.
///
/// # Errors
/// [`ActionError::BadRequest`] when it is not in the list.
pub fn remove_realm_domain(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    domain: &str,
) -> Result<(), ActionError> {
    let domain = normalised(domain);
    Change::emitting(db, Some(actor), actor.realm_id, now, |change| {
        let (tx, realm_id) = (change.tx, change.realm_id);
        if !realm_domains::delete(tx, realm_id, &domain)? {
            return Err(missing());
        }
        let mut events = vec![kinds::realm_domains_remove(&domain)];
        let realm = realms::by_id(tx, realm_id)?.ok_or(DbError::NoRow)?;
        let ends = Settings::of_realm(&realm.settings)
            .is_on(realm_setting!("emails_restricted_to_domains"))
            && realm_domains::list(tx, realm_id)?.is_empty();
        if ends {
            realms::set_setting(tx, realm_id, RESTRICTED, "false")?;
            events.push(kinds::realm_update(
                RESTRICTED,
                false.into(),
                Audience::realm(),
            ));
        }
        change.events.extend(events);
        let data = json!({"domain": domain, "ends_restriction": ends});
        change.audit(None, "realm_domain_removed", &data)?;
        Ok(())
    })
}
