//! Adds a playground behind all others.

use serde_json::json;
use spindle_domain::PlaygroundId;
use spindle_domain::limits::{
    MAX_LINKIFIER_TEXT_LENGTH, MAX_PLAYGROUND_LANGUAGE_LENGTH, MAX_PLAYGROUND_NAME_LENGTH,
    quotas::Quota,
};
use spindle_domain::text::{Form, Unprintable, is_longer_than, is_visible};
use spindle_store::realm_playgrounds::{self, NewPlayground};
use spindle_store::{Connection, DbError};

use super::emit_list;
use crate::account::manage_account::Change;
use crate::{ActionError, Actor, quota};

/// The object as a whole, among the fields.
const WHOLE: &str = "__all__";

/// Schemes of addresses on the web.
const SCHEMES: [&str; 2] = ["https://", "http://"];

/// The variable for the code.
const VARIABLE: &str = "code";

/// A playground as a client describes it; texts are trimmed here.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PlaygroundInput {
    /// What people choose it by.
    pub name: String,
    /// Language of the code blocks that it opens; any name will do.
    pub pygments_language: String,
    /// URL template of RFC 6570 whose only variable is `code`.
    pub url_template: String,
}

/// Adds a playground at `now` (UNIX seconds) and returns its id.
///
/// # Errors
/// [`ActionError::Invalid`] with the fields that are at fault.
pub fn add_playground(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    input: &PlaygroundInput,
) -> Result<PlaygroundId, ActionError> {
    let name = Form::Name.accept(&input.name);
    let name = name.map_err(|Unprintable(position)| {
        let text = format!("Character {position} cannot be printed");
        ActionError::invalid("name", text)
    })?;
    let new = NewPlayground {
        name: &name,
        pygments_language: input.pygments_language.trim(),
        url_template: input.url_template.trim(),
    };
    check_playground(&new)?;
    Change::emitting(db, Some(actor), actor.realm_id, now, |change| {
        let limit = Quota::Playgrounds.limit();
        if realm_playgrounds::count(change.tx, change.realm_id)? >= limit {
            let text = format!("An organization has at most {limit} playgrounds");
            return Err(ActionError::invalid(WHOLE, text));
        }
        let id = realm_playgrounds::insert(change.tx, change.realm_id, &new).map_err(taken)?;
        quota::check(change.tx, Quota::PlaygroundText, change.realm_id)?;
        emit_list(change)?;
        change.audit(None, "playground_added", &json!({"playground_id": id}))?;
        Ok(id)
    })
}

/// Checks a new playground.
///
/// # Errors
/// [`ActionError::Invalid`] with the fields that are at fault.
pub(crate) fn check_playground(new: &NewPlayground<'_>) -> Result<(), ActionError> {
    let mut errors = Vec::new();
    for (field, text, limit) in [
        ("name", new.name, MAX_PLAYGROUND_NAME_LENGTH),
        (
            "pygments_language",
            new.pygments_language,
            MAX_PLAYGROUND_LANGUAGE_LENGTH,
        ),
        ("url_template", new.url_template, MAX_LINKIFIER_TEXT_LENGTH),
    ] {
        if text.is_empty() {
            errors.push((field, "This must not be empty".to_owned()));
        } else if is_longer_than(text, limit) {
            errors.push((field, format!("At most {limit} characters are allowed")));
        }
    }
    if !new.pygments_language.chars().all(is_of_language) {
        let text = "The name of a language has letters, digits, spaces and _ + - . / #";
        errors.push(("pygments_language", text.to_owned()));
    }
    if !new.url_template.chars().all(is_visible) {
        let text = "The template of an address has only characters that can be seen";
        errors.push(("url_template", text.to_owned()));
    } else if let Some(text) = template_error(new.url_template) {
        errors.push(("url_template", text));
    }
    if errors.is_empty() {
        Ok(())
    } else {
        Err(ActionError::Invalid(errors))
    }
}

fn is_of_language(sign: char) -> bool {
    sign.is_ascii_alphanumeric() || " _+-./#".contains(sign)
}

fn template_error(template: &str) -> Option<String> {
    match spindle_markup::url_template_variables(template) {
        Err(error) => Some(format!("This is no URL template: {error}")),
        Ok(names) if !names.iter().any(|name| name == VARIABLE) => {
            Some(format!("The variable {VARIABLE} is missing"))
        }
        Ok(names) if names.len() > 1 => Some(format!("{VARIABLE} must be the only variable")),
        // Opened in a browser on click.
        Ok(_) if !SCHEMES.iter().any(|scheme| template.starts_with(scheme)) => {
            Some("The template must begin with https:// or http://".to_owned())
        }
        Ok(_) => None,
    }
}

/// Language and name distinguish a playground from others.
fn taken(error: DbError) -> ActionError {
    match error {
        DbError::NotUnique(_) => ActionError::invalid(
            WHOLE,
            "There is a playground of this name for this language already",
        ),
        other => other.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(name: &str, pygments_language: &str, url_template: &str) -> Vec<&'static str> {
        let new = NewPlayground {
            name,
            pygments_language,
            url_template,
        };
        match check_playground(&new) {
            Ok(()) => Vec::new(),
            Err(ActionError::Invalid(errors)) => errors.iter().map(|(field, _)| *field).collect(),
            Err(other) => panic!("{other}"),
        }
    }

    #[test]
    fn what_can_be_stored() {
        let good = "https://play.example/?code={code}";
        let long = "x".repeat(MAX_PLAYGROUND_NAME_LENGTH + 1);
        assert!(fields("Play", "C++/C# .Net_1-2", good).is_empty());
        assert!(fields("Play", "Rust", "https://p.example/{?code}#{code}").is_empty());
        assert_eq!(fields("", "Rust", good), ["name"]);
        assert_eq!(fields(&long, &long, good), ["name", "pygments_language"]);
        assert_eq!(fields("Play", "a$b", good), ["pygments_language"]);
        for template in [
            "https://p.example/",
            "https://p.example/{code",
            "https://p.example/{language}",
            "https://p.example/{language}/{code}",
        ] {
            assert_eq!(
                fields("Play", "Rust", template),
                ["url_template"],
                "{template}"
            );
        }
    }
}
