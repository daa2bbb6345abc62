//! Integrations with services, for incoming-webhook bots: their list (register: `realm_incoming_webhook_bots`) and the
//! configuration of a bot for one of them.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Value, json};
use spindle_domain::UserId;
use spindle_domain::limits::{MAX_TEXT_TEMPLATE_BYTES, MAX_TOPIC_TEMPLATE_BYTES};
use spindle_domain::text::Form;
use spindle_integrations::template::{self, EXAMPLES, Part, Templates};
use spindle_integrations::{ALL, Integration, integration};
use spindle_store::{Db, bots};

use crate::ActionError;

/// The option with the secret that a bot shares with its service.
pub(crate) const WEBHOOK_SECRET: &str = "webhook_secret";
/// Longest secret, in bytes.
const MAX_SECRET_BYTES: usize = 1_000;
/// The options of a bot whose messages are made by templates.
const TEMPLATES: [(Part, &str, usize); 2] = [
    (
        Part::Topic,
        "Template of the topic",
        MAX_TOPIC_TEMPLATE_BYTES,
    ),
    (Part::Text, "Template of the text", MAX_TEXT_TEMPLATE_BYTES),
];

/// The configuration of an incoming webhook for its integration.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WebhookConfig(BTreeMap<String, String>);

impl WebhookConfig {
    /// The secret that it shares with the service, if there is one.
    #[must_use]
    pub fn secret(&self) -> Option<&str> {
        Some(self.get(WEBHOOK_SECRET)).filter(|secret| !secret.is_empty())
    }

    /// Its templates; empty for an integration without them.
    #[must_use]
    pub fn templates(&self) -> Templates<'_> {
        Templates {
            topic: self.get(Part::Topic.option()),
            text: self.get(Part::Text.option()),
        }
    }

    fn get(&self, key: &str) -> &str {
        self.0.get(key).map_or("", String::as_str)
    }
}

/// The fetch type `realm_incoming_webhook_bots`.
pub(crate) fn listed() -> Value {
    ALL.iter().map(|one| entry(one)).collect()
}

fn entry(integration: &Integration) -> Value {
    let option =
        |key: &str, label: &str| json!({"key": key, "label": label, "validator": "check_string"});
    let mut config = Vec::new();
    if integration.proof.is_some() {
        config.push(option(WEBHOOK_SECRET, "Secret of the service"));
    }
    let url: Vec<Value> = integration
        .url_options
        .iter()
        .map(|one| json!({"key": one.key, "label": one.label, "input_type": one.input}))
        .collect();
    let events = Some(integration.events).filter(|events| !events.is_empty());
    let mut examples = Vec::new();
    if integration.name == template::NAME {
        config.extend(TEMPLATES.map(|(part, label, _)| option(part.option(), label)));
        examples.extend(EXAMPLES.iter().map(|one| {
            json!({
                "name": one.name,
                "topic_template": one.topic_template,
                "text_template": one.text_template,
                "body": one.body,
            })
        }));
    }
    json!({
        "name": integration.name,
        "display_name": integration.display_name,
        "setup": integration.setup,
        "all_event_types": events,
        "config_options": config,
        "url_options": url,
        "examples": examples,
    })
}

/// The integration of an incoming webhook with its configuration, as stored and shown.
///
/// # Errors
/// [`ActionError::BadRequest`] when there is no such integration, it has no such option, or a template is missing or
/// wrong.
pub(crate) fn webhook_service(
    name: &str,
    config: &BTreeMap<String, String>,
) -> Result<String, ActionError> {
    let integration = integration(name)
        .ok_or_else(|| ActionError::bad_request("There is no service with this name"))?;
    let has_templates = name == template::NAME;
    for (key, value) in config {
        let is_template = |(part, ..): &&(Part, &str, usize)| part.option() == key;
        let template = TEMPLATES.iter().filter(|_| has_templates).find(is_template);
        match template {
            Some((part, _, most)) => check_length(*part, value, *most)?,
            None if key == WEBHOOK_SECRET && integration.proof.is_some() => check_secret(value)?,
            None => {
                return Err(ActionError::BadRequest(format!(
                    "The integration {name} has no option {key:?}"
                )));
            }
        }
    }
    let config = WebhookConfig(config.clone());
    if has_templates {
        check_templates(config.templates())?;
    }
    Ok(json!([{"service_name": name, "config_data": config.0}]).to_string())
}

/// Whether templates can be read.
///
/// # Errors
/// [`ActionError::BadRequest`] names the template, the line and the mistake.
pub(crate) fn check_templates(templates: Templates<'_>) -> Result<(), ActionError> {
    for (part, _, most) in TEMPLATES {
        let text = match part {
            Part::Topic => templates.topic,
            Part::Text => templates.text,
        };
        check_length(part, text, most)?;
    }
    if templates.text.trim().is_empty() {
        return Err(ActionError::bad_request("text_template is empty"));
    }
    template::check(templates).map_err(|problem| ActionError::BadRequest(problem.to_string()))
}

fn check_length(part: Part, text: &str, most: usize) -> Result<(), ActionError> {
    let option = part.option();
    if text.len() > most {
        return Err(ActionError::BadRequest(format!(
            "{option} has more than {most} bytes"
        )));
    }
    Form::Block
        .accept(text)
        .map(drop)
        .map_err(|_| ActionError::BadRequest(format!("{option} has control characters")))
}

fn check_secret(value: &str) -> Result<(), ActionError> {
    if value.len() > MAX_SECRET_BYTES || Form::Line.accept(value).is_err() {
        return Err(ActionError::bad_request(
            "The secret is too long, or no text",
        ));
    }
    Ok(())
}

/// The configuration of an incoming webhook for this integration; empty if it was made for another one, and none if such a
/// call is refused: a bot with a secret has it for the calls of its own service only.
///
/// # Errors
/// [`ActionError::Store`], and [`ActionError::Internal`] when what is stored cannot be read.
pub fn webhook_config(
    db: &dyn Db,
    bot_id: UserId,
    integration: &Integration,
) -> Result<Option<WebhookConfig>, ActionError> {
    #[derive(Deserialize)]
    struct Service {
        #[serde(default)]
        service_name: String,
        #[serde(default)]
        config_data: BTreeMap<String, String>,
    }
    let services: Vec<Service> = serde_json::from_str(&bots::by_id(db, bot_id)?.services)
        .map_err(|error| ActionError::Internal(error.to_string()))?;
    let Some(service) = services.into_iter().next() else {
        return Ok(Some(WebhookConfig::default()));
    };
    let config = WebhookConfig(service.config_data);
    if service.service_name == integration.name {
        return Ok(Some(config));
    }
    let is_open = config.secret().is_none();
    Ok(is_open.then(WebhookConfig::default))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_services_that_prove_themselves_have_a_secret() {
        let config = |key: &str| BTreeMap::from([(key.to_owned(), "x".to_owned())]);
        assert!(webhook_service("github", &config(WEBHOOK_SECRET)).is_ok());
        assert!(webhook_service("github", &config("other")).is_err());
        assert!(webhook_service("pingdom", &config(WEBHOOK_SECRET)).is_err());
        assert!(webhook_service("pingdom", &BTreeMap::new()).is_ok());
        assert!(webhook_service("nonsense", &BTreeMap::new()).is_err());
    }

    #[test]
    fn templates_are_checked_when_they_are_set() {
        let set = |topic: &str, text: &str| {
            let config = [("topic_template", topic), ("text_template", text)];
            let config = config.map(|(key, value)| (key.to_owned(), value.to_owned()));
            webhook_service("template", &BTreeMap::from(config))
        };
        assert!(set("{{ body.a }}", "{{ body.b|bold }}").is_ok());
        assert!(set(&"x".repeat(1_000), &"x".repeat(10_000)).is_ok());
        for (topic, text) in [
            ("", " "),
            ("{{", "x"),
            ("", "{{ x|nonsense }}"),
            (&*"x".repeat(1_001), "x"),
            ("", &*"x".repeat(10_001)),
            ("\0", "x"),
        ] {
            assert!(set(topic, text).is_err(), "{topic:?} {text:?}");
        }
        assert!(webhook_service("template", &BTreeMap::new()).is_err());
        let other = BTreeMap::from([("text_template".to_owned(), "x".to_owned())]);
        assert!(webhook_service("json", &other).is_err());
    }

    #[test]
    fn every_integration_is_listed() {
        let listed = listed();
        assert_eq!(listed.as_array().map(Vec::len), Some(ALL.len()));
    }
}
