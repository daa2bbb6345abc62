//! The API email of a person whose real address is hidden from some.

use spindle_domain::UserId;

/// The value of `email_address_visibility` that lets all users see the address.
pub(crate) const EVERYBODY: i64 = 1;

/// The API email of an account whose address is hidden. No mail can be sent to it.
pub(crate) fn hidden_email(user_id: UserId) -> String {
    format!("user{user_id}@hidden.invalid")
}
