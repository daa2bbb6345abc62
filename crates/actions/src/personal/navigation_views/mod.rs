//! Navigation views: the views in a user's sidebar, built-in ones and own ones.
//!
//! A view is its owner's alone and is found by its fragment. Built-in views have no name, all
//! others have one.

mod add;
mod delete;
mod edit;

pub use add::add_navigation_view;
pub use delete::delete_navigation_view;
pub use edit::edit_navigation_view;

use spindle_domain::text::Form;
use spindle_store::{Db, DbError, navigation_views};

use crate::text::{accept, check_length};
use crate::{ActionError, Actor};

/// Views that every client has; their names are the client's
/// (docs/protocol/personal.md#add_navigation_view).
const BUILT_IN: [&str; 8] = [
    "inbox",
    "recent",
    "feed",
    "drafts",
    "narrow/has/reaction/sender/me",
    "narrow/is/mentioned",
    "narrow/is/starred",
    "scheduled",
];

/// Longest fragment, in bytes: it is part of an address.
const MAX_FRAGMENT_BYTES: usize = 2_000;
/// Longest name, in code points.
const MAX_NAME_LENGTH: usize = 100;

/// The caller's views as a JSON list, by fragment (docs/protocol/personal.md#navigation-views).
pub fn list_navigation_views(db: &dyn Db, actor: &Actor) -> Result<String, ActionError> {
    Ok(navigation_views::records(db, actor.user_id)?)
}

fn is_built_in(fragment: &str) -> bool {
    BUILT_IN.contains(&fragment)
}

fn check_name(name: &str) -> Result<String, ActionError> {
    let name = accept(Form::Name, "name", name)?;
    check_length("name", &name, MAX_NAME_LENGTH)?;
    Ok(name)
}

/// Checks a new view, and returns its name without surrounding space.
///
/// # Errors
/// [`ActionError::BadRequest`].
pub(crate) fn check_view(
    fragment: &str,
    name: Option<&str>,
) -> Result<Option<String>, ActionError> {
    if fragment.is_empty() || fragment.len() > MAX_FRAGMENT_BYTES {
        return Err(ActionError::BadRequest(format!(
            "fragment is blank or longer than {MAX_FRAGMENT_BYTES} bytes"
        )));
    }
    let name = name.map(check_name).transpose()?;
    match (is_built_in(fragment), &name) {
        (true, Some(_)) => Err(built_in_has_no_name()),
        (false, None) => Err(ActionError::bad_request("This view needs a name")),
        _ => Ok(name),
    }
}

fn built_in_has_no_name() -> ActionError {
    ActionError::bad_request("A built-in view cannot have a name")
}

fn name_is_taken() -> ActionError {
    ActionError::bad_request("You already have a view with this name")
}

fn missing() -> ActionError {
    ActionError::NotFound("There is no such navigation view".to_owned())
}

/// A name or fragment that the table holds already.
fn taken(error: DbError, clash: fn() -> ActionError) -> ActionError {
    match error {
        DbError::NotUnique(_) => clash(),
        other => other.into(),
    }
}
