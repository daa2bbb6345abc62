//! Addresses that the server makes for accounts: the API email of a person whose real address is
//! hidden from some, and the address of an account whose own one belongs to the server.
//!
//! No person can choose an address of their domain, and no mail can be sent there.

use spindle_domain::text::HIDDEN_DOMAIN;
use spindle_domain::{RealmId, UserId};
use spindle_store::{Db, users};

use crate::ActionError;

/// The value of `email_address_visibility` that lets all users see the address.
pub(crate) const EVERYBODY: i64 = 1;

/// The API email of an account whose address is hidden. In old databases other accounts may have the
/// usual one.
pub(crate) fn hidden_email(
    db: &dyn Db,
    realm_id: RealmId,
    user_id: UserId,
) -> Result<String, ActionError> {
    free(db, realm_id, user_id, &format!("user{user_id}"))
}

/// The API email that an account has as a rule.
pub(crate) fn usual_hidden_email(user_id: UserId) -> String {
    format!("user{user_id}@{HIDDEN_DOMAIN}")
}

/// The address of an account whose own one belongs to the server.
pub(crate) fn free_replaced_email(
    db: &dyn Db,
    realm_id: RealmId,
    user_id: UserId,
) -> Result<String, ActionError> {
    free(db, realm_id, user_id, &format!("user{user_id}-taken"))
}

/// The replacement address without a look-up, for a database in which no account can hold it yet.
pub(crate) fn replaced_email(user_id: UserId) -> String {
    format!("user{user_id}-taken@{HIDDEN_DOMAIN}")
}

fn free(
    db: &dyn Db,
    realm_id: RealmId,
    user_id: UserId,
    local: &str,
) -> Result<String, ActionError> {
    let mut email = format!("{local}@{HIDDEN_DOMAIN}");
    let mut number = 1_u64;
    loop {
        let holder = users::by_email(db, realm_id, &email)?;
        if holder.is_none_or(|holder| holder.id == user_id) {
            return Ok(email);
        }
        number = number.saturating_add(1);
        email = format!("{local}-{number}@{HIDDEN_DOMAIN}");
    }
}
