//! Data exports of the organization: asked for, built outside requests, downloaded, deleted
//! (docs/protocol/exports.md#export_realm).
//!
//! Owns who may ask for what, the record of each export, and the events. The archive itself is
//! built by the host, which reports here how it went.

mod build;
mod delete;
mod request;

pub use build::{
    FinishedExport, claim_export, fail_export, find_archive, finish_export, prolong_export,
};
pub use delete::delete_export;
pub use request::{ExportType, request_export};
pub use spindle_store::exports::PendingExport;

use spindle_domain::policy::may_have_export;
use spindle_domain::{RealmId, Role, UserId};
use spindle_events::{Audience, Event, kinds};
use spindle_store::{Db, exports, user_lists};

use crate::{ActionError, Actor};

/// The exports that the caller, an administrator, may know of as a JSON list, by id; `realm_url`
/// has no slash at its end.
pub fn list_exports(db: &dyn Db, actor: &Actor, realm_url: &str) -> Result<String, ActionError> {
    let left_out = left_out(actor.role);
    Ok(exports::records(db, actor.realm_id, realm_url, left_out)?)
}

/// The type of exports that an administrator of this role may not know of.
fn left_out(role: Role) -> Option<&'static str> {
    let hidden = !may_have_export(role, true).is_allowed();
    hidden.then_some(ExportType::FullWithoutConsent.name())
}

/// Whether an export of this type (wire name) holds everything, whether people agree or not.
fn is_everything(export_type: &str) -> bool {
    export_type == ExportType::FullWithoutConsent.name()
}

/// Active people and whether each agrees to the export of their private data, as a JSON list.
pub fn list_export_consents(db: &dyn Db, actor: &Actor) -> Result<String, ActionError> {
    Ok(exports::consents(db, actor.realm_id)?)
}

/// The events of a changed export of this type (wire name): each administrator who may know of it
/// receives the list of all exports that they may know of.
fn realm_export(
    db: &dyn Db,
    realm_id: RealmId,
    realm_url: &str,
    export_type: &str,
) -> Result<Vec<Event>, ActionError> {
    let roles = user_lists::active_roles(db, realm_id)?;
    let mut events = Vec::new();
    for role in [Role::Owner, Role::Administrator] {
        if !may_have_export(role, is_everything(export_type)).is_allowed() {
            continue;
        }
        let of_role = roles.iter().filter(|account| account.role == role);
        let users: Vec<UserId> = of_role.map(|account| account.user_id).collect();
        if users.is_empty() {
            continue;
        }
        let list = exports::records(db, realm_id, realm_url, left_out(role))?;
        let list = serde_json::from_str(&list)
            .map_err(|error| ActionError::Internal(error.to_string()))?;
        events.push(kinds::realm_export(list, Audience::users(users)));
    }
    Ok(events)
}
