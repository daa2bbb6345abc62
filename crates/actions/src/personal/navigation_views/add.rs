//! Adds a navigation view (docs/protocol/personal.md#add_navigation_view).

use spindle_domain::limits::quotas::Quota;
use spindle_domain::text::Form;
use spindle_events::kinds;
use spindle_store::Connection;
use spindle_store::navigation_views::{self, NavigationViewRow};

use super::{check_view, name_is_taken, taken};
use crate::text::accept;
use crate::{ActionError, Actor, change, quota};

/// Adds a view of the caller's.
///
/// # Errors
/// [`ActionError::BadRequest`]: a blank fragment or name, a built-in view with a name, another
/// one without, a fragment or a name that the caller has already, one view too many; in this order.
pub fn add_navigation_view(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    fragment: &str,
    is_pinned: bool,
    name: Option<&str>,
) -> Result<(), ActionError> {
    let fragment = accept(Form::Name, "fragment", fragment)?;
    let fragment = fragment.as_str();
    let name = check_view(fragment, name)?;
    let user_id = actor.user_id;
    change::emitting(db, actor.realm_id, now, |tx| {
        if navigation_views::by_fragment(tx, user_id, fragment)?.is_some() {
            return Err(ActionError::bad_request("You already have this view"));
        }
        let view = NavigationViewRow {
            fragment: fragment.to_owned(),
            is_pinned,
            name: name.clone(),
        };
        navigation_views::insert(tx, user_id, &view)
            .map_err(|error| taken(error, name_is_taken))?;
        quota::check(tx, Quota::NavigationViews, user_id)?;
        let mut record = spindle_events::Record::new();
        record.insert("fragment".to_owned(), view.fragment.into());
        record.insert("is_pinned".to_owned(), is_pinned.into());
        if let Some(name) = view.name {
            record.insert("name".to_owned(), name.into());
        }
        let event = kinds::navigation_view_add(user_id, record);
        Ok(change::made((), event))
    })
}
