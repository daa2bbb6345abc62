//! Data exports of the organization: asked for, built outside requests, downloaded, deleted
//! (spec: POST /export/realm; protocol-facts 2.20).
//!
//! Owns who may ask for what, the record of each export, and the events. The archive itself is
//! built by the host, which reports here how it went.

mod build;
mod delete;
mod request;

pub use build::{FinishedExport, fail_export, find_archive, finish_export, next_export};
pub use delete::delete_export;
pub use request::{ExportType, request_export};
pub use spindle_store::exports::PendingExport;

use spindle_domain::Role;
use spindle_events::{Audience, Event, kinds};
use spindle_store::{Db, exports, user_lists};

use crate::{ActionError, Actor};

/// All exports as a JSON list, by id; `realm_url` has no slash at its end.
///
/// # Errors
/// [`ActionError::Store`].
pub fn list_exports(db: &dyn Db, actor: &Actor, realm_url: &str) -> Result<String, ActionError> {
    Ok(exports::records(db, actor.realm_id.get(), realm_url)?)
}

/// Active people and whether each agrees to the export of their private data, as a JSON list.
///
/// # Errors
/// [`ActionError::Store`].
pub fn list_export_consents(db: &dyn Db, actor: &Actor) -> Result<String, ActionError> {
    Ok(exports::consents(db, actor.realm_id.get())?)
}

/// What administrators are told when an export changes: all of them.
fn realm_export(db: &dyn Db, realm_id: i64, realm_url: &str) -> Result<Event, ActionError> {
    let list = exports::records(db, realm_id, realm_url)?;
    let list =
        serde_json::from_str(&list).map_err(|error| ActionError::Internal(error.to_string()))?;
    Ok(kinds::realm_export(list, administrators(db, realm_id)?))
}

/// Active administrators and owners.
pub(crate) fn administrators(db: &dyn Db, realm_id: i64) -> Result<Audience, ActionError> {
    let roles = user_lists::active_roles(db, realm_id)?;
    let is_admin = |role| Role::from_i64(role).is_some_and(Role::is_admin);
    let ids = roles.into_iter().filter(|(_, role)| is_admin(*role));
    Ok(Audience::users(ids.map(|(id, _)| id)))
}
