//! Linkifiers: patterns of the organization that become links
//! (docs/protocol/linkifiers.md#linkifier, docs/protocol/linkifiers.md#add_linkifier).
//!
//! One file for each change, the check before storing, and the compiled list that rendering uses.
//! The guard of the operations decides who may change the list.

mod add;
mod check;
mod compiled;
mod remove;
mod reorder;
mod size;
mod update;

use spindle_domain::{LinkifierId, RealmId};

use serde_json::json;
use spindle_events::{Audience, Event, kinds};
use spindle_store::{Db, DbError, WriteTx, audit, linkifiers};

use crate::account::secrets;
use crate::{ActionError, Actor};

pub use add::{LinkifierInput, add_linkifier};
pub(crate) use compiled::{TopicLinks, compiled};
pub use remove::remove_linkifier;
pub use reorder::reorder_linkifiers;
pub(crate) use size::{Sizes, linkifiers_left_out};
pub use update::{LinkifierChange, update_linkifier};

/// The records of all linkifiers as a JSON array, in order (GET /realm/linkifiers).
pub fn list_linkifiers(db: &dyn Db, actor: &Actor) -> Result<String, ActionError> {
    Ok(linkifiers::records(db, actor.realm_id)?)
}

/// Gives the list a new version; returns the event with the whole list.
fn renew(
    tx: &WriteTx<'_>,
    actor: &Actor,
    now: i64,
    audit_type: &'static str,
    linkifier_id: Option<LinkifierId>,
) -> Result<Event, ActionError> {
    let realm_id = actor.realm_id;
    linkifiers::set_version(tx, realm_id, &secrets::new_uuid()?)?;
    let acting = Some(actor.user_id);
    let data = json!({"linkifier_id": linkifier_id}).to_string();
    audit::append(tx, realm_id, now, acting, None, audit_type, &data)?;
    list_event(tx, realm_id)
}

fn list_event(tx: &WriteTx<'_>, realm_id: RealmId) -> Result<Event, ActionError> {
    let records = serde_json::from_str(&linkifiers::records(tx, realm_id)?)
        .map_err(|error| ActionError::Internal(error.to_string()))?;
    Ok(kinds::realm_linkifiers(records, Audience::realm()))
}

/// Whether a linkifier that was stored elsewhere can be stored here.
///
/// # Errors
/// [`ActionError::Invalid`].
pub(crate) fn check_stored(
    row: &linkifiers::LinkifierRow,
    alternatives: &[String],
) -> Result<(), ActionError> {
    let alternatives: Vec<&str> = alternatives.iter().map(String::as_str).collect();
    check::check(row, &alternatives)
}

/// There is no such linkifier: not an object of the caller's own, hence 400.
fn missing() -> ActionError {
    ActionError::bad_request("There is no linkifier with this id")
}

/// An error that concerns the list, not a field.
fn as_whole(error: ActionError) -> ActionError {
    match error {
        ActionError::BadRequest(text) => ActionError::invalid(check::WHOLE, text),
        other => other,
    }
}

/// A linkifier is identified by its pattern.
fn taken(error: DbError) -> ActionError {
    match error {
        DbError::NotUnique(_) => ActionError::invalid(
            check::WHOLE,
            "There is a linkifier with this pattern already",
        ),
        other => other.into(),
    }
}
