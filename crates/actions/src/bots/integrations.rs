//! Integrations with services, for incoming-webhook bots: their list (register: `realm_incoming_webhook_bots`) and the
//! configuration of a bot for one of them.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use spindle_domain::UserId;
use spindle_domain::text::Form;
use spindle_integrations::{ALL, Integration, integration};
use spindle_store::{Db, bots};

use crate::ActionError;

/// The option with the secret that a bot shares with its service.
const SECRET: &str = "webhook_secret";
/// Longest secret, in bytes.
const MAX_SECRET_BYTES: usize = 1_000;

/// The fetch type `realm_incoming_webhook_bots`.
pub(crate) fn listed() -> Value {
    ALL.iter().map(|one| entry(one)).collect()
}

fn entry(integration: &Integration) -> Value {
    let secret =
        json!({"key": SECRET, "label": "Secret of the service", "validator": "check_string"});
    let config: Vec<Value> = integration.proof.iter().map(|_| secret.clone()).collect();
    let url: Vec<Value> = integration
        .url_options
        .iter()
        .map(|one| json!({"key": one.key, "label": one.label, "input_type": one.input}))
        .collect();
    let events = Some(integration.events).filter(|events| !events.is_empty());
    json!({
        "name": integration.name,
        "display_name": integration.display_name,
        "setup": integration.setup,
        "all_event_types": events,
        "config_options": config,
        "url_options": url,
    })
}

/// The integration of an incoming webhook with its configuration, as stored and shown.
///
/// # Errors
/// [`ActionError::BadRequest`] when there is no such integration, or it has no such option.
pub(crate) fn webhook_service(
    name: &str,
    config: &BTreeMap<String, String>,
) -> Result<String, ActionError> {
    let integration = integration(name)
        .ok_or_else(|| ActionError::bad_request("There is no service with this name"))?;
    for (key, value) in config {
        if key != SECRET || integration.proof.is_none() {
            return Err(ActionError::BadRequest(format!(
                "The integration {name} has no option {key:?}"
            )));
        }
        if value.len() > MAX_SECRET_BYTES || Form::Line.accept(value).is_err() {
            return Err(ActionError::bad_request(
                "The secret is too long, or no text",
            ));
        }
    }
    Ok(json!([{"service_name": name, "config_data": config}]).to_string())
}

/// The secret that an incoming webhook shares with the service of this integration, if there is one.
pub fn webhook_secret(
    db: &dyn Db,
    bot_id: UserId,
    integration: &Integration,
) -> Result<Option<String>, ActionError> {
    let services: Value = serde_json::from_str(&bots::by_id(db, bot_id)?.services)
        .map_err(|error| ActionError::Internal(error.to_string()))?;
    let text = |path: &str| services.pointer(path).and_then(Value::as_str);
    if text("/0/service_name") != Some(integration.name) {
        return Ok(None);
    }
    let secret = text(&format!("/0/config_data/{SECRET}"));
    Ok(secret
        .filter(|secret| !secret.is_empty())
        .map(str::to_owned))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_services_that_prove_themselves_have_a_secret() {
        let config = |key: &str| BTreeMap::from([(key.to_owned(), "x".to_owned())]);
        assert!(webhook_service("github", &config(SECRET)).is_ok());
        assert!(webhook_service("github", &config("other")).is_err());
        assert!(webhook_service("pingdom", &config(SECRET)).is_err());
        assert!(webhook_service("pingdom", &BTreeMap::new()).is_ok());
        assert!(webhook_service("nonsense", &BTreeMap::new()).is_err());
    }

    #[test]
    fn every_integration_is_listed() {
        let listed = listed();
        assert_eq!(listed.as_array().map(Vec::len), Some(ALL.len()));
    }
}
