//! The ways to sign in: which of them are on (docs/protocol/identity.md#ways).

use serde_json::{Value, json};
use spindle_domain::RealmId;
use spindle_domain::errors::ClientError;
use spindle_domain::identity::Ways;
use spindle_store::{Db, identity_providers};

use crate::ActionError;

/// Reads which ways are on.
pub(crate) fn read(db: &dyn Db, realm_id: RealmId) -> Result<Ways, ActionError> {
    let providers = identity_providers::list(db, realm_id)?.into_iter();
    Ok(Ways {
        providers: providers.map(|provider| provider.id).collect(),
        off: identity_providers::disabled_ways(db, realm_id)?
            .into_iter()
            .collect(),
    })
}

/// Refuses a password where the organization uses none, whether it is right or wrong.
///
/// # Errors
/// [`ClientError::PasswordAuthDisabled`].
pub(crate) fn check_password_is_on(db: &dyn Db, realm_id: RealmId) -> Result<(), ActionError> {
    match read(db, realm_id)?.has_password() {
        true => Ok(()),
        false => Err(ClientError::PasswordAuthDisabled.into()),
    }
}

/// The fields that tell clients about the ways, without the prefix `realm_`: of the register response, and of the event
/// about a change.
pub(crate) fn fields(ways: &Ways) -> [(&'static str, Value); 3] {
    let has_password = ways.has_password();
    let methods: serde_json::Map<String, Value> = ways
        .all()
        .into_iter()
        .map(|(name, is_on)| (name, json!({"enabled": is_on, "available": true})))
        .collect();
    [
        ("authentication_methods", Value::Object(methods)),
        ("email_auth_enabled", json!(has_password)),
        ("password_auth_enabled", json!(has_password)),
    ]
}
