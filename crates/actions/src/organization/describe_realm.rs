//! The facts about the organization that clients may know before they log in.

use spindle_domain::policy::lowest_role_with_second_factor;
use spindle_domain::{RealmId, realm_setting};
use spindle_store::{Db, identity_providers, mail_service, push_service, realms, second_factors};

use crate::access::spectators::admits_spectators;
use crate::account::ways;
use crate::{ActionError, Settings};

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
    /// Whether people sign in with a password.
    pub has_password: bool,
    /// Whether they sign in with a passkey alone.
    pub has_passkeys: bool,
    /// The identity providers by which people sign in, in their order.
    pub providers: Vec<ShownProvider>,
    /// Whether some people can sign in to apps only by way of a browser, which asks for a second factor.
    pub needs_browser: bool,
}

/// An identity provider on the sign-in page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownProvider {
    pub id: String,
    pub name: String,
    pub has_icon: bool,
    /// Whether a person without an account gets one.
    pub creates: bool,
}

/// Reads the public face of the organization (docs/protocol/organization.md#get_server_settings).
///
/// # Errors
/// [`ActionError::Internal`] before there is an organization.
pub fn describe_realm(db: &dyn Db, realm_id: RealmId) -> Result<RealmDescription, ActionError> {
    let realm = realms::by_id(db, realm_id)?
        .ok_or_else(|| ActionError::Internal("there is no organization".to_owned()))?;
    let web_public_access_enabled = admits_spectators(&realm);
    let ways = ways::read(db, realm_id)?;
    let providers = identity_providers::list(db, realm_id)?.into_iter();
    let providers = providers.filter(|provider| ways.has_provider(&provider.id));
    let settings = Settings::of_realm(&realm.settings);
    let required_for = settings.text(realm_setting!("second_factor_required_for"));
    let is_required = lowest_role_with_second_factor(&required_for).is_some();
    Ok(RealmDescription {
        has_password: ways.has_password(),
        has_passkeys: ways.has_passkeys(),
        providers: providers
            .map(|provider| ShownProvider {
                id: provider.id,
                name: provider.name,
                has_icon: provider.has_icon,
                creates: provider.creates,
            })
            .collect(),
        name: realm.name,
        rendered_description: realm.rendered_description,
        web_public_access_enabled,
        push_notifications_enabled: push_service::state(db, realm_id)?.is_some(),
        mail_enabled: mail_service::is_on(db, realm_id)?,
        needs_browser: is_required || second_factors::is_used(db)?,
    })
}
