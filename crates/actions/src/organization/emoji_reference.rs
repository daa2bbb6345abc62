//! An emoji as clients name it: by name alone, or by name, code and type
//! (docs/protocol/presence.md#update_status, docs/protocol/emoji.md#codes). Statuses and reactions
//! share this check.

use spindle_domain::RealmId;
use spindle_store::Db;

use super::custom_emoji::{self, EXTRA_EMOJI};
use crate::ActionError;

/// Names of the type of the one extra emoji: the specification's, and the ecosystem's.
pub(crate) const EXTRA_EMOJI_TYPES: [&str; 2] = ["service_extra_emoji", "zulip_extra_emoji"];

/// An emoji with all the fields that identify it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct EmojiReference {
    pub(crate) name: String,
    pub(crate) code: String,
    pub(crate) kind: String,
}

/// Completes the client's reference with the code and type of the name, unless the client has sent
/// both; does not check them. `custom_code` is the id of the active custom emoji of that name.
///
/// # Errors
/// [`ActionError::BadRequest`] when something is missing and there is no emoji of this name.
pub(crate) fn complete(
    name: &str,
    code: Option<&str>,
    kind: Option<&str>,
    custom_code: Option<&str>,
) -> Result<EmojiReference, ActionError> {
    let (code, kind) = match (code, kind) {
        (Some(code), Some(kind)) => (code, kind),
        _ => {
            let (found_code, found_kind) = find(name, custom_code)?;
            (code.unwrap_or(found_code), kind.unwrap_or(found_kind))
        }
    };
    Ok(EmojiReference {
        name: name.to_owned(),
        code: code.to_owned(),
        kind: kind.to_owned(),
    })
}

/// The id of the active custom emoji with this name, as text.
pub(crate) fn custom_code(
    db: &dyn Db,
    realm_id: RealmId,
    name: &str,
) -> Result<Option<String>, ActionError> {
    let emoji = custom_emoji::find(db, realm_id, name)?;
    Ok(emoji.map(|emoji| emoji.id.to_string()))
}

/// Code and type of the emoji with this name: a custom one first, which may take the name of
/// another.
fn find<'c>(
    name: &str,
    custom_code: Option<&'c str>,
) -> Result<(&'c str, &'static str), ActionError> {
    if let Some(code) = custom_code {
        return Ok((code, "realm_emoji"));
    }
    if name == EXTRA_EMOJI {
        return Ok((EXTRA_EMOJI, "zulip_extra_emoji"));
    }
    spindle_emoji::code_for_name(name)
        .map(|code| (code, "unicode_emoji"))
        .ok_or_else(|| ActionError::bad_request("There is no emoji with this name"))
}

/// Whether name, code and type belong to one emoji that can be used.
///
/// # Errors
/// [`ActionError::BadRequest`].
pub(crate) fn check_known(
    emoji: &EmojiReference,
    custom_code: Option<&str>,
) -> Result<(), ActionError> {
    let EmojiReference { name, code, kind } = emoji;
    let problem = if EXTRA_EMOJI_TYPES.contains(&kind.as_str()) {
        (name != EXTRA_EMOJI || code != EXTRA_EMOJI).then_some("There is no such extra emoji")
    } else if kind == "unicode_emoji" {
        match spindle_emoji::names_for_code(code) {
            None => Some("There is no emoji with this code"),
            Some(names) => (!names.contains(&name.as_str())
                && !spindle_emoji::was_name_of(name, code))
            .then_some("The name and the code belong to different emoji"),
        }
    } else if kind == "realm_emoji" {
        (custom_code != Some(code.as_str())).then_some("There is no such custom emoji")
    } else {
        Some("There is no emoji type with this name")
    };
    problem.map_or(Ok(()), |text| Err(ActionError::bad_request(text)))
}
