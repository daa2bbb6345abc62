//! Asks for an export (docs/protocol/exports.md#export_realm).

use serde_json::json;
use spindle_domain::policy::may_export;
use spindle_domain::realm_setting;
use spindle_store::{Connection, attachments, audit, exports};

use super::realm_export;
use crate::{ActionError, Actor, change};

/// Exports that may be asked for within [`WINDOW_SECS`].
const EXPORTS_IN_WINDOW: i64 = 5;
const WINDOW_SECS: i64 = 7 * 24 * 3600;

/// Messages of the largest export that is built without the operator.
const MAX_MESSAGES: i64 = 250_000;
/// Bytes of uploaded files of such an export: 20 GiB.
const MAX_UPLOADED_BYTES: i64 = 20 << 30;

/// Whose data an export holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExportType {
    /// What all users may see.
    Public,
    /// The same, and the private data of users who consent.
    FullWithConsent,
    /// Everything.
    FullWithoutConsent,
}

impl ExportType {
    /// All of them by wire name.
    pub const NAMES: &[(&str, Self)] = &[
        ("public", Self::Public),
        ("full_with_consent", Self::FullWithConsent),
        ("full_without_consent", Self::FullWithoutConsent),
    ];

    /// The name on the wire.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Public => "public",
            Self::FullWithConsent => "full_with_consent",
            Self::FullWithoutConsent => "full_without_consent",
        }
    }

    /// The type of this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        let found = Self::NAMES.iter().find(|(known, _)| *known == name);
        found.map(|(_, export_type)| *export_type)
    }
}

/// Notes at `now` (UNIX seconds) that an export is to be built; returns its id. `realm_url` has
/// no slash at its end.
///
/// # Errors
/// [`ActionError::Denied`] for an export of everything that the organization does not allow;
/// [`ActionError::BadRequest`] for too many within a week, and when it would be too large.
pub fn request_export(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    export_type: ExportType,
    realm_url: &str,
) -> Result<i64, ActionError> {
    let is_everything = export_type == ExportType::FullWithoutConsent;
    let is_allowed = actor
        .realm_settings()
        .is_on(realm_setting!("owner_full_content_access"));
    may_export(actor.role, is_everything, is_allowed).check()?;
    let realm_id = actor.realm_id;
    change::if_needed(db, realm_id, now, |tx| {
        if exports::count_since(tx, realm_id, now - WINDOW_SECS)? >= EXPORTS_IN_WINDOW {
            return Err(ActionError::BadRequest(format!(
                "Only {EXPORTS_IN_WINDOW} exports can be asked for within a week"
            )));
        }
        let only_public = export_type == ExportType::Public;
        let messages = exports::count_messages(tx, realm_id, only_public, MAX_MESSAGES + 1)?;
        let bytes = attachments::space_used(tx, realm_id)?;
        if messages > MAX_MESSAGES || bytes > MAX_UPLOADED_BYTES {
            return Err(ActionError::BadRequest(format!(
                "The organization has more than an export holds ({MAX_MESSAGES} messages, {} GiB of \
             files), and no setting changes that; a backup, which the operator of \
             this server can make, holds all of it",
                MAX_UPLOADED_BYTES >> 30
            )));
        }
        let user_id = actor.user_id;
        let id = exports::insert(tx, realm_id, user_id, export_type.name(), realm_url, now)?;
        let data = json!({"export_id": id, "export_type": export_type.name()});
        audit::append(
            tx,
            realm_id,
            now,
            Some(user_id),
            None,
            "realm_exported",
            &data.to_string(),
        )?;
        let events = realm_export(tx, realm_id, realm_url, export_type.name())?;
        Ok(change::outcome(id, events))
    })
}
