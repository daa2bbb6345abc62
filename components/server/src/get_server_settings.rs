//! GET /server_settings: the data that a client needs before it logs in
//! (docs/protocol/organization.md#get_server_settings).
//!
//! Clients call it first, possibly with invalid credentials, so credentials are ignored: a wrong key must not
//! prevent the answer.

use serde_json::{Value, json};
use spindle_actions::organization::{ShownProvider, describe_realm};
use spindle_domain::RealmId;
use spindle_domain::feature_level::{FEATURE_LEVEL, ZULIP_MERGE_BASE, ZULIP_VERSION};
use spindle_domain::identity::way_of;
use spindle_domain::passkey::passkey_host;
use spindle_guest::{Call, Failure, Guard, Operation, Reply};

pub(crate) const OPERATION: Operation = Operation::get(
    "get-server-settings",
    "/api/v1/server_settings",
    Guard::Anonymous,
    run,
);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let realm = describe_realm(call.db()?, RealmId::ONLY)?;
    let url = call.external_url();
    // Apps have no field for a second factor: they open this page.
    let browser = json!({
        "name": "browser",
        "display_name": "Browser",
        "display_icon": null,
        "login_url": "/accounts/login/browser",
        "signup_url": "/accounts/login/browser",
    });
    let providers = realm
        .providers
        .iter()
        .map(|provider| external(&url, provider));
    let methods: Vec<Value> = providers
        .chain(realm.needs_browser.then_some(browser))
        .collect();
    let fields = json!({
        "authentication_methods": {
            "password": realm.has_password,
            "dev": false,
            "email": realm.has_password,
            "ldap": false,
            "remoteuser": false,
            "github": false,
            "azuread": false,
            "gitlab": false,
            "google": false,
            "apple": false,
            "discord": false,
            "saml": false,
            "openid connect": !methods.is_empty(),
            "passkey": realm.has_passkeys && passkey_host(&url).is_some(),
        },
        "external_authentication_methods": methods,
        "service_feature_level": FEATURE_LEVEL,
        "zulip_feature_level": FEATURE_LEVEL,
        "zulip_version": ZULIP_VERSION,
        "zulip_merge_base": ZULIP_MERGE_BASE,
        "push_notifications_enabled": realm.push_notifications_enabled,
        "mail_enabled": realm.mail_enabled,
        "is_incompatible": false,
        "email_auth_enabled": realm.has_password,
        "require_email_format_usernames": true,
        "realm_url": url,
        "realm_uri": url,
        "realm_name": realm.name,
        "realm_icon": "",
        "realm_description": realm.rendered_description,
        "realm_web_public_access_enabled": realm.web_public_access_enabled,
    });
    Ok(spindle_wire::Reply::of(&fields)?.into())
}

/// A provider as clients list it. They open its path in a browser, with parameters that say how to return.
fn external(url: &str, provider: &ShownProvider) -> Value {
    let login_url = format!("/accounts/login/openid/{}", provider.id);
    json!({
        "name": way_of(&provider.id),
        "display_name": provider.name,
        "display_icon": provider.has_icon.then(|| format!("{url}{login_url}/icon")),
        "login_url": login_url,
        "signup_url": login_url,
    })
}
