//! Shows what a content would look like as a message of the caller
//! (docs/protocol/messages.md#render_message).
//!
//! Nothing is stored and no user is notified, so permissions to mention are not checked.

use spindle_domain::text::normalise_content;
use spindle_store::Db;

use super::content::format;
use crate::{ActionError, Actor};

/// The HTML of `content`, which is normalised and cut like a message's; `realm_url` has no trailing
/// slash. Empty content stays empty.
///
/// # Errors
/// [`ActionError::BadRequest`] for a NUL in it, or when the HTML is too long.
pub fn render_message(
    db: &dyn Db,
    actor: &Actor,
    content: &str,
    realm_url: &str,
) -> Result<String, ActionError> {
    if content.contains('\0') {
        return Err(ActionError::bad_request("A message must not hold NUL"));
    }
    match normalise_content(content) {
        Some(markdown) => Ok(format(db, actor, &markdown, realm_url)?.rendered.html),
        None => Ok(String::new()),
    }
}
