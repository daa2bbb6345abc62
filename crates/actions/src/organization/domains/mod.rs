//! Domains that addresses may have where the organization restricts them
//! (`emails_restricted_to_domains`; protocol-facts 3.6, 4.3).
//!
//! One file for each change of the list. Everybody may read it; that only owners change it is
//! the guard of the operations.

mod add;
mod change;
mod remove;

use spindle_domain::address::{NotAdmitted, check_admitted};
use spindle_store::{Db, DbError, realm_domains, realms};

use crate::account::manage_account::Change;
use crate::{ActionError, Actor, Settings};

pub use add::add_realm_domain;
pub use change::change_realm_domain;
pub use remove::remove_realm_domain;

/// The list as a JSON array of records (GET /realm/domains).
///
/// # Errors
/// [`ActionError::Store`].
pub fn list_realm_domains(db: &dyn Db, actor: &Actor) -> Result<String, ActionError> {
    Ok(realm_domains::records(db, actor.realm_id.get())?)
}

/// Checks that a person of the organization may have this address. The operator (no acting
/// account) may give any.
///
/// # Errors
/// [`ActionError::BadRequest`].
pub(crate) fn check_address_admitted(
    change: &Change<'_, '_>,
    address: &str,
) -> Result<(), ActionError> {
    let realm = realms::by_id(&change.tx, change.realm_id)?.ok_or(DbError::NoRow)?;
    let restricted = Settings::of_realm(&realm.settings).is_on("emails_restricted_to_domains");
    if !restricted || change.acting.is_none() {
        return Ok(());
    }
    let domains = realm_domains::list(&change.tx, change.realm_id)?;
    check_admitted(address, &domains).map_err(|cause| {
        ActionError::bad_request(match cause {
            NotAdmitted::Plus => "An address with a plus is not allowed in this organization",
            NotAdmitted::Domain => "The domain of this address is not allowed in this organization",
        })
    })
}

/// A domain as it is kept and compared.
fn normalised(domain: &str) -> String {
    domain.trim().to_lowercase()
}

/// The domain is not in the list.
fn missing() -> ActionError {
    ActionError::bad_request("This domain is not in the list")
}
