//! Names, descriptions and addresses: how they are stored and folded for comparison, and which are
//! refused.

use spindle_domain::address::{self, AddressProblem};
use spindle_domain::limits::{MAX_FULL_NAME_LENGTH, MAX_TIME};
use spindle_domain::text::{Form, Look, Unprintable};
use spindle_domain::{RealmId, UserId, realm_setting};
use spindle_store::{Db, DbError, realms, user_lists};

use crate::{ActionError, Settings};

/// Folds a topic: two that fold alike are one.
#[must_use]
pub fn fold(topic: &str) -> String {
    spindle_markup::fold_topic(topic.trim())
}

/// Folds a name of a person, channel, folder or bot, or an address: two that fold alike are the
/// same. The markup crate folds in this way, since mentions are looked up by folded name.
#[must_use]
pub fn fold_name(name: &str) -> String {
    spindle_markup::fold_name(name)
}

/// Bytes in hexadecimal.
pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A plain text as HTML, for element content and for attribute values.
pub(crate) fn escape_html(text: &str) -> String {
    let mut html = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => html.push_str("&amp;"),
            '<' => html.push_str("&lt;"),
            '>' => html.push_str("&gt;"),
            '"' => html.push_str("&quot;"),
            '\'' => html.push_str("&#39;"),
            other => html.push(other),
        }
    }
    html
}

/// A text as stored. `what` is the subject of the error.
///
/// # Errors
/// [`ActionError::BadRequest`] for a character that cannot be printed
/// (docs/protocol/limits.md#printable).
pub(crate) fn accept(form: Form, what: &str, text: &str) -> Result<String, ActionError> {
    form.accept(text)
        .map_err(|Unprintable(position)| unprintable(what, position))
}

fn unprintable(what: &str, position: usize) -> ActionError {
    ActionError::BadRequest(format!("Character {position} of {what} cannot be printed"))
}

/// Checks a time that a client sends, in UNIX seconds; `what` is the subject of the error
/// (docs/protocol/limits.md#times).
///
/// # Errors
/// [`ActionError::BadRequest`] for a time before 1970 or after the year 9999.
pub(crate) fn check_time(what: &str, time: i64) -> Result<(), ActionError> {
    let problem = match time {
        ..0 => "negative",
        0..=MAX_TIME => return Ok(()),
        _ => "after the year 9999",
    };
    Err(ActionError::BadRequest(format!("{what} is {problem}")))
}

/// As [`check_time`], of a time that has to lie ahead.
///
/// # Errors
/// [`ActionError::BadRequest`] also for a time that is not later than `now`.
pub(crate) fn check_future(what: &str, time: i64, now: i64) -> Result<(), ActionError> {
    if time <= now {
        let text = format!("{what} is not in the future");
        return Err(ActionError::BadRequest(text));
    }
    check_time(what, time)
}

/// Normalizes an email address. Whether it works is not tested.
///
/// # Errors
/// [`ActionError::BadRequest`] for a malformed or reserved address.
pub(crate) fn email_address(email: &str) -> Result<String, ActionError> {
    address::accept(email).map_err(|problem| {
        ActionError::bad_request(match problem {
            AddressProblem::Malformed => "This is not an e-mail address",
            AddressProblem::Reserved => "Addresses of this domain belong to the server",
        })
    })
}

/// Whether a text can be the address of an account.
#[must_use]
pub fn is_email(text: &str) -> bool {
    address::accept(text).is_ok()
}

/// Every character of a topic can be printed (docs/protocol/limits.md#text). The position in the error counts from 1 in
/// the given `topic`, so callers that trim it must do so first.
///
/// # Errors
/// [`ActionError::BadRequest`].
pub(crate) fn check_printable_topic(topic: &str) -> Result<(), ActionError> {
    match spindle_domain::text::first_unprintable(topic) {
        None => Ok(()),
        Some(position) => Err(unprintable("the topic", position)),
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

/// The name of a person or bot as stored (docs/protocol/limits.md#text).
///
/// # Errors
/// [`ActionError::BadRequest`].
pub(crate) fn full_name(name: &str) -> Result<String, ActionError> {
    use spindle_domain::text::FullNameProblem as Problem;
    spindle_domain::text::check_full_name(name).map_err(|problem| {
        ActionError::BadRequest(match problem {
            Problem::Unprintable(position) => return unprintable("the name", position),
            Problem::TooShort => "The name is too short".to_owned(),
            Problem::TooLong => {
                format!("The name is longer than {MAX_FULL_NAME_LENGTH} characters")
            }
            Problem::ForbiddenCharacter(character) => {
                format!("The name holds a character that names may not hold: {character:?}")
            }
            Problem::MentionSuffix => "The name ends like a mention with an id".to_owned(),
            Problem::Reserved => "Bots of the server have this name".to_owned(),
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
    let wanted = Look::new(name);
    let others = user_lists::other_names(db, realm_id, except)?;
    if others.iter().any(|other| wanted.is_like(&Look::new(other))) {
        return Err(ActionError::bad_request("This name is taken"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folding_ignores_case_and_spaces() {
        assert_eq!(fold(" Ünï "), fold("ÜNÏ"));
        assert_eq!(fold_name(" Ünï  x"), fold_name("U\u{308}NÏ\u{A0}X"));
        assert_eq!(fold_name("Tea \u{2615}\u{FE0F}"), fold_name("tea \u{2615}"));
    }
}
