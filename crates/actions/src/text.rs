//! Names and addresses: how they are folded for comparison, and which are valid.

use spindle_domain::limits::MAX_FULL_NAME_LENGTH;
use spindle_domain::{RealmId, UserId, realm_setting};
use spindle_store::{Db, DbError, realms, user_lists};
use unicode_normalization::UnicodeNormalization;

use crate::{ActionError, Settings};

/// Longest address of e-mail that is taken.
const MAX_EMAIL_LENGTH: usize = 254;

/// Folds a name of a person, channel or topic, or an address: two that fold alike are the
/// same. The markup crate folds in this way, since mentions are looked up by folded name.
#[must_use]
pub fn fold(text: &str) -> String {
    spindle_markup::fold_name(text.trim())
}

/// Checks the form of an address (that it works is shown by use).
///
/// # Errors
/// [`ActionError::BadRequest`].
pub(crate) fn check_email(email: &str) -> Result<(), ActionError> {
    let is_well_formed = email.split_once('@').is_some_and(|(local, domain)| {
        !local.is_empty() && !domain.is_empty() && !domain.contains('@')
    });
    let has_bad_character = email
        .chars()
        .any(|c| c.is_whitespace() || c.is_control() || matches!(c, ',' | ':' | '<' | '>' | '"'));
    if !is_well_formed || has_bad_character || email.len() > MAX_EMAIL_LENGTH {
        return Err(ActionError::bad_request("This is not an e-mail address"));
    }
    Ok(())
}

/// Whether a text has the form of an address.
#[must_use]
pub fn is_email(text: &str) -> bool {
    check_email(text).is_ok()
}

/// Every character of a topic can be printed (docs/protocol/limits.md#text). The position in the
/// error counts from 1 in `topic` as it is given here, so callers trim it first where that is due.
///
/// # Errors
/// [`ActionError::BadRequest`].
pub(crate) fn check_printable_topic(topic: &str) -> Result<(), ActionError> {
    match spindle_domain::text::first_unprintable(topic) {
        None => Ok(()),
        Some(position) => Err(ActionError::BadRequest(format!(
            "Character {position} of the topic cannot be printed"
        ))),
    }
}

/// The text of parameter `name` without surrounding space; at least one code point and at
/// most `limit`.
///
/// # Errors
/// [`ActionError::BadRequest`] naming the parameter.
pub(crate) fn check_length<'t>(
    name: &str,
    text: &'t str,
    limit: usize,
) -> Result<&'t str, ActionError> {
    let text = text.trim();
    if text.is_empty() {
        return Err(ActionError::BadRequest(format!("{name} is blank")));
    }
    if spindle_domain::text::is_longer_than(text, limit) {
        return Err(ActionError::BadRequest(format!(
            "{name} is longer than {limit} characters"
        )));
    }
    Ok(text)
}

/// Checks a name of a person or bot, already trimmed (docs/protocol/limits.md#text).
///
/// # Errors
/// [`ActionError::BadRequest`].
pub(crate) fn check_full_name(name: &str) -> Result<(), ActionError> {
    use spindle_domain::text::FullNameProblem as Problem;
    spindle_domain::text::check_full_name(name).map_err(|problem| {
        ActionError::BadRequest(match problem {
            Problem::TooShort => "The name is too short".to_owned(),
            Problem::TooLong => {
                format!("The name is longer than {MAX_FULL_NAME_LENGTH} characters")
            }
            Problem::ForbiddenCharacter(character) => {
                format!("The name holds a character that names may not hold: {character:?}")
            }
            Problem::MentionSuffix => "The name ends like a mention with an id".to_owned(),
        })
    })
}

/// Checks that no user has this name, save the one who is renamed (`except`), where the organization wants names to be
/// unique (`realm_require_unique_names`). Names that only look alike count as one.
///
/// # Errors
/// [`ActionError::BadRequest`].
pub(crate) fn check_name_is_free(
    db: &dyn Db,
    realm_id: RealmId,
    name: &str,
    except: Option<UserId>,
) -> Result<(), ActionError> {
    let realm = realms::by_id(db, realm_id)?.ok_or(DbError::NoRow)?;
    if !Settings::of_realm(&realm.settings).is_on(realm_setting!("require_unique_names")) {
        return Ok(());
    }
    let skeleton = |name: &str| name.trim().nfkc().collect::<String>().to_lowercase();
    let wanted = skeleton(name);
    let others = user_lists::other_names(db, realm_id, except)?;
    if others.iter().any(|other| skeleton(other) == wanted) {
        return Err(ActionError::bad_request("This name is taken"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses() {
        for email in ["a@b", "ann+x@chat.example.org", "ü@ö.example"] {
            assert!(check_email(email).is_ok(), "{email}");
        }
        for email in [
            "", "a", "@b", "a@", "a@b@c", "a b@c", "a@b\n", "a,b@c", "<a@b>",
        ] {
            assert!(check_email(email).is_err(), "{email}");
        }
        assert!(check_email(&format!("{}@x", "a".repeat(254))).is_err());
    }

    #[test]
    fn folding_ignores_case_and_outer_space() {
        assert_eq!(fold(" Ünï "), fold("ÜNÏ"));
    }
}
