//! Names and descriptions of channels and folders: what is refused, and how they are rendered.
//!
//! Descriptions are Markdown without link previews. Names in them are resolved as in messages,
//! but they notify no user.

use spindle_domain::limits::{
    MAX_RENDERED_DESCRIPTION_BYTES, MAX_STREAM_DESCRIPTION_LENGTH, MAX_STREAM_NAME_LENGTH,
};
use spindle_domain::text::{Form, is_longer_than};
use spindle_markup::Context;
use spindle_store::Db;

use crate::messages::name_lookup;
use crate::text::accept;
use crate::{ActionError, Actor};

/// Renders a description to HTML; `realm_url` is the organization's address without a slash at
/// the end.
pub(crate) fn render_description(
    db: &dyn Db,
    actor: &Actor,
    markdown: &str,
    realm_url: &str,
) -> Result<String, ActionError> {
    let directory = name_lookup::directory_of(db, actor, markdown)?;
    let context = Context {
        empty_topic_display_name: crate::EMPTY_TOPIC_DISPLAY_NAME,
        inline_image_preview: false,
        ..Context::new(&directory, realm_url)
    };
    let rendered = spindle_markup::render(markdown, &context);
    if rendered.is_too_long() || rendered.html.len() > MAX_RENDERED_DESCRIPTION_BYTES {
        return Err(ActionError::BadRequest(format!(
            "The description is too long once formatted: its HTML has more than {MAX_RENDERED_DESCRIPTION_BYTES} bytes"
        )));
    }
    Ok(rendered.html)
}

/// A channel's name as stored (docs/protocol/limits.md#text).
///
/// # Errors
/// [`ActionError::BadRequest`] when it is blank, too long, or holds what cannot be printed.
pub(crate) fn check_channel_name(name: &str) -> Result<String, ActionError> {
    let name = check_name(name)?;
    if is_longer_than(&name, MAX_STREAM_NAME_LENGTH) {
        return Err(ActionError::BadRequest(format!(
            "The name of a channel has at most {MAX_STREAM_NAME_LENGTH} characters"
        )));
    }
    Ok(name)
}

/// A name as stored: printable and not blank.
///
/// # Errors
/// [`ActionError::BadRequest`].
pub(crate) fn check_name(name: &str) -> Result<String, ActionError> {
    let name = accept(Form::Name, "the name", name)?;
    if name.is_empty() {
        return Err(ActionError::bad_request("The name must not be blank"));
    }
    Ok(name)
}

/// A channel's description as stored: in one line (docs/protocol/limits.md#text).
///
/// # Errors
/// [`ActionError::BadRequest`] when it is too long, or holds what cannot be printed.
pub(crate) fn check_channel_description(description: &str) -> Result<String, ActionError> {
    let description = accept(Form::Line, "the description", description)?;
    if is_longer_than(&description, MAX_STREAM_DESCRIPTION_LENGTH) {
        return Err(ActionError::BadRequest(format!(
            "The description of a channel has at most {MAX_STREAM_DESCRIPTION_LENGTH} characters"
        )));
    }
    Ok(description)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_channels() {
        assert_eq!(check_channel_name("  Zoë's café ").unwrap(), "Zoë's café");
        let sixty = "ß".repeat(60);
        assert_eq!(check_channel_name(&sixty).unwrap(), sixty);
        for name in ["", " \t", "a\u{7}b", "\u{FDD0}", &"ß".repeat(61)] {
            assert!(check_channel_name(name).is_err(), "{name:?}");
        }
    }

    #[test]
    fn descriptions_are_one_line() {
        assert_eq!(check_channel_description("a\nb\r\nc").unwrap(), "a b c");
        assert!(check_channel_description(&"ß".repeat(1024)).is_ok());
        assert!(check_channel_description(&"ß".repeat(1025)).is_err());
        assert!(check_channel_description("a\u{1}").is_err());
    }
}
