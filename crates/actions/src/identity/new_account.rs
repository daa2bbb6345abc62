//! The account of a person who signs in for the first time.

use spindle_domain::identity::{Claims, Refusal};
use spindle_domain::limits::MAX_FULL_NAME_LENGTH;
use spindle_domain::text::first_chars;
use spindle_domain::{Role, UserId};
use spindle_store::{audit, users};

use super::IdentityRefusal;
use crate::ActionError;
use crate::account::manage_account::Change;
use crate::invitations::entrance::{Beginning, Entrance};
use crate::organization::domains::admission;
use crate::text::{check_name_is_free, email_address, full_name};
use crate::users::arrival::Arrival;
use crate::users::create_user::{NewAccount, Prepared, write_account};

/// Names that are tried where the organization wants them to be unique.
const MOST_NAMES: u32 = 20;

/// The step that creates an account with this role, as if the organization were open to the person.
pub(super) fn create(
    change: &mut Change<'_, '_>,
    claims: &Claims,
    role: Role,
) -> Result<UserId, IdentityRefusal> {
    let email = claims.email.as_deref().ok_or(Refusal::NoAddress)?;
    let email = email_address(email)?;
    admission(change.tx, change.realm_id)?
        .check(&email)
        .map_err(|_| Refusal::Domain)?;
    let account = Prepared::new(&NewAccount {
        full_name: free_name(change, claims, &email)?,
        email,
        role: Some(role),
        ..NewAccount::default()
    })?;
    let beginning = match role.is_guest() {
        true => Beginning::default(),
        false => Entrance::Open.beginning(change.tx, change.realm_id)?,
    };
    let (user_id, _) = write_account(change, &account, &Arrival::Joined(beginning))?;
    users::confirm_email(change.tx, user_id)?;
    let (realm_id, now, own) = (change.realm_id, change.now, Some(user_id));
    let data = r#"{"invitation_id":null}"#;
    audit::append(change.tx, realm_id, now, own, own, "user_joined", data)?;
    Ok(user_id)
}

/// The name of the person as accounts have names: what cannot be in one is left out.
fn free_name(change: &Change<'_, '_>, claims: &Claims, email: &str) -> Result<String, ActionError> {
    let local = email.split('@').next().unwrap_or_default();
    let wanted = claims.full_name.as_deref().map(cleaned).unwrap_or_default();
    let name = [wanted, cleaned(local)]
        .into_iter()
        .find_map(|name| full_name(&name).ok())
        .unwrap_or_else(|| "New user".to_owned());
    let is_free = |name: &str| check_name_is_free(change.tx, change.realm_id, name, None);
    let mut tried = is_free(&name).map(|()| name.clone());
    for number in 2..=MOST_NAMES {
        if !matches!(tried, Err(ActionError::BadRequest(_))) {
            break;
        }
        let number = format!(" {number}");
        let room = MAX_FULL_NAME_LENGTH - number.len();
        let numbered = format!("{}{number}", first_chars(&name, room));
        tried = is_free(&numbered).map(|()| numbered);
    }
    tried
}

/// A name without characters that names may not hold, and without what is too long.
fn cleaned(name: &str) -> String {
    let is_allowed = |character: &char| full_name(&format!("ab{character}cd")).is_ok();
    let words: String = name
        .chars()
        .take(MAX_FULL_NAME_LENGTH * 4)
        .filter(is_allowed)
        .collect();
    let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
    first_chars(&words, MAX_FULL_NAME_LENGTH).trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_cleaned() {
        for (name, expected) in [
            ("  Ann   Example ", "Ann Example"),
            ("Ann*`<b>\u{0}\n Example", "Ann<b Example"),
            ("", ""),
        ] {
            assert_eq!(cleaned(name), expected, "{name:?}");
        }
        let long = "x".repeat(MAX_FULL_NAME_LENGTH + 50);
        assert_eq!(cleaned(&long).len(), MAX_FULL_NAME_LENGTH);
    }
}
