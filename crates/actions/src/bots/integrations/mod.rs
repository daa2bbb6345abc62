//! Integrations: requests of other programs, in their own form, become messages of an
//! incoming-webhook bot (POST /api/v1/external/{name}; register:
//! `realm_incoming_webhook_bots`).
//!
//! A further one is a file with an [`Integration`] and a line in [`ALL`]. Each is a pure
//! function of the call; none may look anything up.

mod github;
mod json;
mod slack;
mod text;

use serde_json::{Value, json};

use crate::ActionError;

/// An integration with one kind of program.
pub struct Integration {
    /// Last segment of the path.
    name: &'static str,
    /// Name for people.
    display_name: &'static str,
    /// The kinds of events, where requests name theirs.
    event_types: Option<&'static [&'static str]>,
    /// The header that names the kind.
    event_header: Option<&'static str>,
    /// Options of the bot: key, label, validator.
    config_options: &'static [(&'static str, &'static str, &'static str)],
    /// Options in the address: key, label, type of input.
    url_options: &'static [(&'static str, &'static str, &'static str)],
    /// Reads one call.
    read: fn(&IncomingCall<'_>) -> Result<Option<Incoming>, Refusal>,
}

/// The request of a program.
pub struct IncomingCall<'a> {
    /// Kind of the event; empty where there are none.
    pub event: &'a str,
    /// The JSON of the call.
    pub payload: &'a Value,
    /// The text of an option in the address.
    pub option: &'a dyn Fn(&str) -> Option<String>,
}

/// The message of an integration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Incoming {
    /// Topic, unless the address names one.
    pub topic: String,
    /// Markdown.
    pub content: String,
}

/// Why a request is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// An event that this integration does not know.
    UnknownEvent,
    /// The payload lacks something.
    Payload(&'static str),
}

const ALL: [&Integration; 3] = [&github::GITHUB, &json::JSON, &slack::SLACK];

/// The integration of this name.
#[must_use]
pub fn integration(name: &str) -> Option<&'static Integration> {
    ALL.into_iter().find(|one| one.name == name)
}

impl Integration {
    /// The header that names the kind of event.
    #[must_use]
    pub fn event_header(&self) -> Option<&'static str> {
        self.event_header
    }

    /// Name for people.
    #[must_use]
    pub fn display_name(&self) -> &'static str {
        self.display_name
    }

    /// Reads a request; `None` when it leads to no message.
    ///
    /// # Errors
    /// [`Refusal`].
    pub fn read(&self, call: &IncomingCall<'_>) -> Result<Option<Incoming>, Refusal> {
        let is_known = self
            .event_types
            .is_none_or(|known| known.contains(&call.event));
        if !is_known {
            return Err(Refusal::UnknownEvent);
        }
        (self.read)(call)
    }

    /// Whether a bot of this integration may be configured so.
    ///
    /// # Errors
    /// [`ActionError::BadRequest`] for an option that it does not have.
    pub(crate) fn check_config<'a>(
        &self,
        keys: impl Iterator<Item = &'a String>,
    ) -> Result<(), ActionError> {
        for key in keys {
            if !self.config_options.iter().any(|(known, ..)| known == key) {
                return Err(ActionError::BadRequest(format!(
                    "The integration {} has no option {key:?}",
                    self.name
                )));
            }
        }
        Ok(())
    }
}

/// The fetch type `realm_incoming_webhook_bots`.
pub(crate) fn listed() -> Value {
    ALL.iter()
        .map(|one| {
            let options = |list: &[(&str, &str, &str)], kind: &str| -> Value {
                list.iter()
                    .map(|(key, label, value)| json!({"key": key, "label": label, kind: value}))
                    .collect()
            };
            json!({
                "name": one.name,
                "display_name": one.display_name,
                "all_event_types": one.event_types,
                "config_options": options(one.config_options, "validator"),
                "url_options": options(one.url_options, "input_type"),
            })
        })
        .collect()
}

#[cfg(test)]
pub(super) fn read(
    integration: &Integration,
    event: &str,
    payload: &Value,
) -> Result<Option<Incoming>, Refusal> {
    integration.read(&IncomingCall {
        event,
        payload,
        option: &|_| None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_found_by_name_and_listed() {
        for one in ALL {
            let found = integration(one.name).unwrap();
            assert_eq!(found.display_name(), one.display_name);
            assert_eq!(one.event_header.is_some(), one.event_types.is_some());
        }
        assert!(integration("nonsense").is_none());
        let listed = listed();
        assert_eq!(listed[0]["name"], "github");
        assert_eq!(listed[0]["url_options"][0]["input_type"], "text");
        assert_eq!(listed[1]["all_event_types"], Value::Null);
        let key = "nonsense".to_owned();
        assert!(json::JSON.check_config([&key].into_iter()).is_err());
    }
}
