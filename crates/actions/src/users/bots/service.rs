//! The services of outgoing and embedded bots.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};
use spindle_domain::text::Form;

use crate::ActionError;
use crate::account::secrets;
use crate::bots::{WEBHOOK_SECRET, default_config};

/// Longest configuration of an embedded bot, in bytes.
const MAX_CONFIG_BYTES: usize = 10_000;
/// Longest address of a service, in bytes.
const MAX_URL_BYTES: usize = 2_048;
/// Forms of the calls to a service: 1 the server's own, 2 Slack's.
const INTERFACES: [i64; 2] = [1, 2];

/// The service of an outgoing bot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BotService {
    /// http or https.
    pub base_url: String,
    /// See [`INTERFACES`].
    pub interface: i64,
}

impl BotService {
    /// Checks address and interface.
    ///
    /// # Errors
    /// [`ActionError::BadRequest`].
    pub(super) fn check(&self) -> Result<(), ActionError> {
        let rest = ["https://", "http://"]
            .iter()
            .find_map(|scheme| self.base_url.strip_prefix(scheme));
        let has_host = rest.is_some_and(|rest| {
            let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
            !host.is_empty() && !host.contains(['@', '\\'])
        });
        let is_plain = self.base_url.bytes().all(|byte| byte.is_ascii_graphic());
        if !has_host || !is_plain || self.base_url.len() > MAX_URL_BYTES {
            return Err(ActionError::bad_request(
                "The address of the service is not an http or https URL",
            ));
        }
        if !INTERFACES.contains(&self.interface) {
            return Err(ActionError::bad_request("There is no such interface type"));
        }
        Ok(())
    }

    /// As stored and shown, a JSON list. The token lets the service know who calls; it is new
    /// unless there was one.
    pub(super) fn to_json(&self, token: Option<&str>) -> Result<String, ActionError> {
        let token = match token {
            Some(token) => token.to_owned(),
            None => secrets::new_api_key()?,
        };
        let service = json!([{"base_url": self.base_url, "interface": self.interface,
            "token": token}]);
        Ok(service.to_string())
    }
}

/// The service of an embedded bot, as stored and shown: what was given of its configuration,
/// completed by its defaults.
///
/// # Errors
/// [`ActionError::BadRequest`] when there is no such bot, or it has no such option.
pub(crate) fn embedded_service(
    name: &str,
    config: &BTreeMap<String, String>,
) -> Result<String, ActionError> {
    let length: usize = config.values().map(String::len).sum();
    let is_text = |text: &String| Form::Block.accept(text).is_ok();
    let is_valid = length <= MAX_CONFIG_BYTES && config.values().all(is_text);
    let config = default_config(name, config)
        .filter(|_| is_valid)
        .ok_or_else(|| {
            ActionError::bad_request("There is no embedded bot with this name and these options")
        })?;
    Ok(json!([{"service_name": name, "config_data": config}]).to_string())
}

/// The same services, as stored, with new tokens and without the secret of an integration.
pub(super) fn with_new_tokens(services: &str) -> Result<String, ActionError> {
    let broken = |error: serde_json::Error| ActionError::Internal(error.to_string());
    let mut list: Vec<Map<String, Value>> = serde_json::from_str(services).map_err(broken)?;
    let mut is_changed = false;
    for config in list
        .iter_mut()
        .filter_map(|service| service.get_mut("config_data")?.as_object_mut())
    {
        is_changed |= config.remove(WEBHOOK_SECRET).is_some();
    }
    for token in list
        .iter_mut()
        .filter_map(|service| service.get_mut("token"))
    {
        *token = secrets::new_api_key()?.into();
        is_changed = true;
    }
    if !is_changed {
        return Ok(services.to_owned());
    }
    serde_json::to_string(&list).map_err(broken)
}

/// The service of an outgoing bot that was set up elsewhere, as stored, with a new token.
///
/// # Errors
/// [`ActionError::BadRequest`] when it cannot be called.
pub(crate) fn outgoing_service(base_url: &str, interface: i64) -> Result<String, ActionError> {
    let service = BotService {
        base_url: base_url.to_owned(),
        interface,
    };
    service.check()?;
    service.to_json(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn services_are_called_by_http() {
        let check = |url: &str, interface| {
            let service = BotService {
                base_url: url.to_owned(),
                interface,
            };
            service.check().is_ok()
        };
        assert!(check("https://example.org/hook?x=1", 1));
        assert!(check("http://127.0.0.1:5002", 2));
        for url in [
            "",
            "example.org",
            "ftp://x",
            "https://",
            "https:///x",
            "https://a b",
            "https://u@h",
        ] {
            assert!(!check(url, 1), "{url}");
        }
        assert!(!check("https://example.org", 3));
    }
}
