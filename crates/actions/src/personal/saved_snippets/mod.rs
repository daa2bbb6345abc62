//! Saved snippets: texts that a user keeps for use in messages.
//!
//! A snippet is its owner's alone: another user's is not found. Lengths are checked by
//! [`check_title`] and [`check_content`] for every change.

mod add;
mod delete;
mod edit;

pub use add::add_saved_snippet;
pub use delete::delete_saved_snippet;
pub use edit::edit_saved_snippet;

use spindle_domain::limits::{MAX_SAVED_SNIPPET_CONTENT_LENGTH, MAX_SAVED_SNIPPET_TITLE_LENGTH};
use spindle_domain::text::{Form, clean_content};
use spindle_store::{Db, saved_snippets};

use crate::text::{accept, check_length};
use crate::{ActionError, Actor};

/// The caller's snippets as a JSON list, oldest first (docs/protocol/personal.md#saved-snippets).
pub fn list_saved_snippets(db: &dyn Db, actor: &Actor) -> Result<String, ActionError> {
    Ok(saved_snippets::records(db, actor.user_id)?)
}

/// The title as stored, 1 to 60 code points (docs/protocol/limits.md#text).
fn check_title(title: &str) -> Result<String, ActionError> {
    let title = accept(Form::Name, "title", title)?;
    check_length("title", &title, MAX_SAVED_SNIPPET_TITLE_LENGTH)?;
    Ok(title)
}

/// The content without surrounding space, 1 to 10000 code points; never cut.
fn check_content(content: &str) -> Result<String, ActionError> {
    let content = clean_content(content);
    let content = check_length("content", &content, MAX_SAVED_SNIPPET_CONTENT_LENGTH)?;
    Ok(content.to_owned())
}

fn missing() -> ActionError {
    ActionError::NotFound("There is no such saved snippet".to_owned())
}
