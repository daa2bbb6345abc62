//! Changes a navigation view (docs/protocol/personal.md#edit_navigation_view).

use spindle_events::{Record, kinds};
use spindle_store::{Connection, Outcome, navigation_views};

use super::{built_in_has_no_name, check_name, is_built_in, missing, name_is_taken};
use crate::{ActionError, Actor, change};

/// Pins, unpins or renames a view of the caller's; `None` leaves a value unchanged.
///
/// # Errors
/// [`ActionError::NotFound`] when the caller has no such view; [`ActionError::BadRequest`] for
/// nothing to change, a blank name, a name for a built-in view, or one that another view has.
pub fn edit_navigation_view(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    fragment: &str,
    is_pinned: Option<bool>,
    name: Option<&str>,
) -> Result<(), ActionError> {
    let name = name.map(check_name).transpose()?;
    let (user_id, realm_id) = (actor.user_id, actor.realm_id);
    change::if_needed(db, realm_id, now, |tx| {
        let mut view = navigation_views::by_fragment(tx, user_id, fragment)?.ok_or_else(missing)?;
        if is_pinned.is_none() && name.is_none() {
            return Err(ActionError::bad_request("There is nothing to change"));
        }
        let mut data = Record::new();
        if let Some(name) = name.as_deref() {
            if is_built_in(fragment) {
                return Err(built_in_has_no_name());
            }
            if navigation_views::is_name_taken(tx, user_id, fragment, name)? {
                return Err(name_is_taken());
            }
            if view.name.as_deref() != Some(name) {
                data.insert("name".to_owned(), name.into());
                view.name = Some(name.to_owned());
            }
        }
        if let Some(is_pinned) = is_pinned
            && is_pinned != view.is_pinned
        {
            data.insert("is_pinned".to_owned(), is_pinned.into());
            view.is_pinned = is_pinned;
        }
        if data.is_empty() {
            return Ok(Outcome::Unchanged(()));
        }
        navigation_views::update(tx, user_id, &view)?;
        let event = kinds::navigation_view_update(user_id, fragment, data);
        Ok(change::outcome((), [event]))
    })
}
