//! The facts about the organization that clients may know before they log in.

use spindle_domain::RealmId;
use spindle_store::{Db, mail_service, push_service, realms};

use crate::ActionError;
use crate::access::spectators::admits_spectators;

/// The public face of the organization.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RealmDescription {
    pub name: String,
    /// `realm_description` as HTML.
    pub rendered_description: String,
    /// Whether anonymous visitors may see web-public channels.
    pub web_public_access_enabled: bool,
    /// Whether a push service is configured.
    pub push_notifications_enabled: bool,
    /// Whether mail is configured.
    pub mail_enabled: bool,
}

/// Reads the public face of the organization (docs/protocol/organization.md#get_server_settings).
///
/// # Errors
/// [`ActionError::Internal`] before there is an organization.
pub fn describe_realm(db: &dyn Db, realm_id: RealmId) -> Result<RealmDescription, ActionError> {
    let realm = realms::by_id(db, realm_id)?
        .ok_or_else(|| ActionError::Internal("there is no organization".to_owned()))?;
    let web_public_access_enabled = admits_spectators(&realm);
    Ok(RealmDescription {
        name: realm.name,
        rendered_description: realm.rendered_description,
        web_public_access_enabled,
        push_notifications_enabled: push_service::state(db, realm_id)?.is_some(),
        mail_enabled: mail_service::is_on(db, realm_id)?,
    })
}
