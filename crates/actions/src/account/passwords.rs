//! The rule for new passwords, and the hash that is stored.
//!
//! Every way to set a password comes through here.

use spindle_domain::password;

use crate::ActionError;
use crate::account::secrets;

/// Checks a password of a person with these names and addresses.
///
/// # Errors
/// [`ActionError::BadRequest`] when it is too short, too long or too easy to guess; says why.
pub(crate) fn check(password: &str, own: &[&str]) -> Result<(), ActionError> {
    password::check(password, own).map_err(|weakness| ActionError::BadRequest(weakness.to_string()))
}

/// Checks and hashes it. Hashing is slow on purpose, so no lock should be held during the call.
///
/// # Errors
/// As [`check`].
pub(crate) fn check_and_hash(password: &str, own: &[&str]) -> Result<String, ActionError> {
    check(password, own)?;
    secrets::hash_password(password)
}
