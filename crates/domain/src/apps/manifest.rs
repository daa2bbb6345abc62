//! The manifest of an app: what it is called, and which rights, settings and secrets it needs.

use std::collections::BTreeSet;
use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::limits::{KEY_BYTES, MANIFEST_BYTES, SETTING_BYTES};
use super::{Entry, EventKind};

/// Commands that clients have themselves.
pub const RESERVED_COMMANDS: [&str; 3] = ["me", "poll", "todo"];

/// Stands for every public host in the hosts of an app.
pub const ANY_HOST: &str = "*";

const MAX_TITLE: usize = 60;
const MAX_DESCRIPTION: usize = 500;
const MAX_VERSION: usize = 20;
const MAX_NAME: usize = 30;
const MAX_COMMANDS: usize = 10;
const MAX_HOSTS: usize = 20;
const MAX_SETTINGS: usize = 20;
const MAX_SECRETS: usize = 10;

/// What an app says about itself, in the custom section of its component.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// One in an organization: small letters, digits and hyphens.
    pub name: String,
    pub title: String,
    #[serde(default)]
    pub description: String,
    pub version: String,
    #[serde(default)]
    pub events: Vec<EventKind>,
    #[serde(default)]
    pub commands: Vec<Command>,
    /// Where fetches go: names of hosts, and perhaps [`ANY_HOST`].
    #[serde(default)]
    pub hosts: Vec<String>,
    #[serde(default)]
    pub channels: Channels,
    #[serde(default)]
    pub settings: Vec<Setting>,
    #[serde(default)]
    pub secrets: Vec<Secret>,
}

/// A command of a message, without the slash.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Command {
    pub name: String,
    pub description: String,
}

/// The channels in which an app acts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Channels {
    /// All that its account can read.
    All,
    /// Those that the administrator chooses.
    #[default]
    Chosen,
}

/// A value that the administrator enters.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Setting {
    pub name: String,
    pub label: String,
    pub kind: SettingKind,
    #[serde(default)]
    pub default: Option<String>,
}

/// What the value of a setting is; it is a text everywhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SettingKind {
    Text,
    /// An integer.
    Number,
    /// `true` or `false`.
    Switch,
    /// The id of a channel.
    Channel,
    /// The id of a person.
    Person,
}

/// A value that only the host reads, and only for requests to one host.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Secret {
    pub name: String,
    pub label: String,
    pub host: String,
}

/// Why a manifest cannot be used, for the person who installs the app.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ManifestError(pub String);

impl fmt::Display for ManifestError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for ManifestError {}

impl Manifest {
    /// Reads and checks the content of the custom section.
    pub fn parse(json: &[u8]) -> Result<Self, ManifestError> {
        if json.len() > MANIFEST_BYTES {
            return Err(ManifestError(format!(
                "The manifest is longer than {MANIFEST_BYTES} bytes"
            )));
        }
        let manifest: Self = serde_json::from_slice(json)
            .map_err(|error| ManifestError(format!("The manifest is not valid: {error}")))?;
        manifest.check().map_err(ManifestError)?;
        Ok(manifest)
    }

    fn check(&self) -> Result<(), String> {
        name("The name of the app", &self.name)?;
        text("The title", &self.title, 1, MAX_TITLE)?;
        text("The description", &self.description, 0, MAX_DESCRIPTION)?;
        text("The version", &self.version, 1, MAX_VERSION)?;
        distinct("events", self.events.iter(), EventKind::ALL.len())?;
        let names = self.commands.iter().map(|command| &command.name);
        distinct("commands", names, MAX_COMMANDS)?;
        for command in &self.commands {
            name("The name of a command", &command.name)?;
            if RESERVED_COMMANDS.contains(&command.name.as_str()) {
                return Err(format!("The command /{} is reserved", command.name));
            }
            text("The description of a command", &command.description, 1, 200)?;
        }
        if self.events.contains(&EventKind::Command) == self.commands.is_empty() {
            return Err("An app with commands names the event \"command\", others do not".into());
        }
        distinct("hosts", self.hosts.iter(), MAX_HOSTS)?;
        (self.hosts.iter())
            .filter(|host| *host != ANY_HOST)
            .try_for_each(|host| check_host(host))?;
        let names = self.settings.iter().map(|setting| &setting.name);
        distinct("settings", names, MAX_SETTINGS)?;
        for setting in &self.settings {
            identifier("The name of a setting", &setting.name)?;
            text("The label of a setting", &setting.label, 1, 100)?;
            if let Some(default) = &setting.default {
                setting.check(default)?;
            }
        }
        let names = self.secrets.iter().map(|secret| &secret.name);
        distinct("secrets", names, MAX_SECRETS)?;
        for secret in &self.secrets {
            identifier("The name of a secret", &secret.name)?;
            text("The label of a secret", &secret.label, 1, 100)?;
            // A secret for any host would be one for everybody.
            if secret.host == ANY_HOST {
                return Err(format!(
                    "The host of the secret \"{}\" must be named",
                    secret.name
                ));
            }
            if !self.hosts.contains(&secret.host) {
                return Err(format!(
                    "The host of the secret \"{}\" is not among the hosts",
                    secret.name
                ));
            }
        }
        Ok(())
    }

    /// Whether the app may be granted a host: it names it, or asks for [`ANY_HOST`].
    #[must_use]
    pub(super) fn asks_for_host(&self, host: &str) -> bool {
        let has = |name: &str| self.hosts.iter().any(|one| one == name);
        has(host) || (has(ANY_HOST) && check_host(host).is_ok())
    }

    /// The settings that an app receives: those that were entered, and defaults of the others.
    #[must_use]
    pub fn setting_entries(&self, entered: &[Entry]) -> Vec<Entry> {
        let value = |setting: &Setting| {
            (entered.iter())
                .find(|entry| entry.key == setting.name)
                .map(|entry| &entry.value)
                .or(setting.default.as_ref())
                .cloned()
        };
        (self.settings.iter())
            .filter_map(|setting| {
                Some(Entry {
                    key: setting.name.clone(),
                    value: value(setting)?,
                })
            })
            .collect()
    }
}

impl Setting {
    /// Checks a value in its text form.
    pub fn check(&self, value: &str) -> Result<(), String> {
        let is_right = match self.kind {
            SettingKind::Text => value.len() <= SETTING_BYTES && !value.contains('\0'),
            SettingKind::Number => value.parse::<i64>().is_ok(),
            SettingKind::Switch => matches!(value, "true" | "false"),
            SettingKind::Channel | SettingKind::Person => {
                value.parse::<i64>().is_ok_and(|id| id >= 0)
            }
        };
        if is_right {
            return Ok(());
        }
        Err(match self.kind {
            SettingKind::Text => format!("\"{}\" is longer than {SETTING_BYTES} bytes", self.name),
            SettingKind::Number => format!("\"{}\" must be an integer", self.name),
            SettingKind::Switch => format!("\"{}\" must be true or false", self.name),
            SettingKind::Channel => format!("\"{}\" must be the id of a channel", self.name),
            SettingKind::Person => format!("\"{}\" must be the id of a person", self.name),
        })
    }

    /// The text form of a value of a request: a text, a number or true and false.
    pub fn text_of(&self, value: &Value) -> Result<String, String> {
        let text = match value {
            Value::String(text) => text.clone(),
            Value::Number(number) => number.to_string(),
            Value::Bool(is_on) => is_on.to_string(),
            Value::Null | Value::Array(_) | Value::Object(_) => {
                return Err(format!("\"{}\" must be a text", self.name));
            }
        };
        self.check(&text)?;
        Ok(text)
    }
}

fn text(what: &str, text: &str, least: usize, most: usize) -> Result<(), String> {
    let length = text.chars().count();
    if length < least || text.trim().len() < least {
        return Err(format!("{what} is empty"));
    }
    if length > most {
        return Err(format!("{what} is longer than {most} characters"));
    }
    if text
        .chars()
        .any(|character| character.is_control() && character != '\n')
    {
        return Err(format!("{what} contains control characters"));
    }
    Ok(())
}

/// Names that people type: of apps and commands.
fn name(what: &str, name: &str) -> Result<(), String> {
    let is_right = name.starts_with(|first: char| first.is_ascii_lowercase())
        && name.len() <= MAX_NAME
        && (name.bytes())
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-');
    if is_right {
        return Ok(());
    }
    Err(format!(
        "{what} must begin with a small letter, and have at most {MAX_NAME} small letters, digits and hyphens"
    ))
}

/// Names that only programs use: of settings and secrets.
fn identifier(what: &str, name: &str) -> Result<(), String> {
    let is_right = (1..=KEY_BYTES.min(60)).contains(&name.len())
        && (name.bytes()).all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
    if is_right {
        return Ok(());
    }
    Err(format!(
        "{what} must have 1 to 60 letters, digits, hyphens and underscores"
    ))
}

/// A domain name in small letters, perhaps with a port.
fn check_host(host: &str) -> Result<(), String> {
    let (domain, port) = host.split_once(':').unwrap_or((host, "443"));
    let is_label = |label: &str| {
        !label.is_empty()
            && label.len() <= 63
            && !label.starts_with('-')
            && !label.ends_with('-')
            && (label.bytes())
                .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
    };
    if domain.len() <= 253
        && domain.split('.').all(is_label)
        && port.parse::<u16>().is_ok_and(|port| port > 0)
    {
        return Ok(());
    }
    Err(format!("\"{host}\" is not the name of a host"))
}

fn distinct<T: Ord>(what: &str, all: impl Iterator<Item = T>, most: usize) -> Result<(), String> {
    let mut seen = BTreeSet::new();
    for one in all {
        if !seen.insert(one) {
            return Err(format!("The {what} must be different from each other"));
        }
    }
    if seen.len() > most {
        return Err(format!("There are more than {most} {what}"));
    }
    Ok(())
}

#[cfg(test)]
#[path = "manifest_tests.rs"]
mod tests;
