//! Domains that addresses may have where the organization restricts them
//! (`emails_restricted_to_domains`; docs/protocol/register.md#sections,
//! docs/protocol/organization.md#domains), and what else it asks of addresses.
//!
//! One file for each change of the list. All users may read it; only owners
//! may change it, which the guard of the operations checks.

mod add;
mod change;
mod remove;

use spindle_domain::{RealmId, realm_setting};

use spindle_domain::address::{Admission, NotAdmitted};
use spindle_store::{Db, DbError, realm_domains, realms};

use crate::account::manage_account::Change;
use crate::{ActionError, Actor, Settings};

pub use add::add_realm_domain;
pub use change::change_realm_domain;
pub use remove::remove_realm_domain;

/// The list as a JSON array of records (GET /realm/domains).
pub fn list_realm_domains(db: &dyn Db, actor: &Actor) -> Result<String, ActionError> {
    Ok(realm_domains::records(db, actor.realm_id)?)
}

/// What the organization asks of addresses.
pub(crate) fn admission(db: &dyn Db, realm_id: RealmId) -> Result<Admission, ActionError> {
    let realm = realms::by_id(db, realm_id)?.ok_or(DbError::NoRow)?;
    let settings = Settings::of_realm(&realm.settings);
    let is_restricted = settings.is_on(realm_setting!("emails_restricted_to_domains"));
    let domains = is_restricted.then(|| realm_domains::list(db, realm_id));
    Ok(Admission {
        domains: domains.transpose()?,
        refuses_disposable: settings.is_on(realm_setting!("disallow_disposable_email_addresses")),
    })
}

/// The refusal of an address that is not admitted.
pub(crate) const fn not_admitted(cause: NotAdmitted) -> &'static str {
    match cause {
        NotAdmitted::Plus => "An address with a plus is not allowed in this organization",
        NotAdmitted::Domain => "The domain of this address is not allowed in this organization",
        NotAdmitted::Disposable => "Disposable addresses are not allowed in this organization",
    }
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
    if change.acting.is_none() {
        return Ok(());
    }
    admission(change.tx, change.realm_id)?
        .check(address)
        .map_err(|cause| ActionError::bad_request(not_admitted(cause)))
}

/// A domain in the form in which it is stored and compared.
pub(crate) fn normalised(domain: &str) -> String {
    domain.trim().to_lowercase()
}

/// The domain is not in the list.
fn missing() -> ActionError {
    ActionError::bad_request("This domain is not in the list")
}
