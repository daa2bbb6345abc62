//! `spindle app try`: shows the effects of an app for the events of a file, without a server.
//!
//! Values are kept from event to event, and new messages have ids, so that a file can tell a story: a command, then
//! clicks on the message that it made.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context as _, Result, anyhow};
use clap::Args;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::cli::output::show;
use spindle_apps::AppEngine;
use spindle_domain::apps::{AppEvent, Effect, Entry, Happening, Manifest, Person, Scope, section};
use spindle_domain::{MessageId, UserId};
use spindle_runtime::Fingerprint;

/// The id of the first message that an app sends; the next ones follow.
const FIRST_MESSAGE: i64 = 1001;
/// The account of the app.
const ACCOUNT: UserId = UserId(1000);

#[derive(Debug, Args)]
pub(in crate::cli) struct Try {
    /// The component of the app.
    #[arg(value_name = "COMPONENT")]
    component: PathBuf,
    /// A JSON list of events; docs/APPS.md describes them.
    #[arg(value_name = "EVENTS")]
    events: PathBuf,
}

/// An event of the file; what it leaves out has a default.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    scope: Scope,
    what: Happening,
    /// UNIX seconds; otherwise now.
    time: Option<i64>,
    /// Otherwise the number of the event.
    seed: Option<u64>,
    /// Otherwise the defaults of the manifest.
    #[serde(default)]
    settings: BTreeMap<String, String>,
}

impl Try {
    /// Prints one line of JSON for each event.
    pub(super) fn run(self) -> Result<ExitCode> {
        let wasm = fs::read(&self.component)
            .with_context(|| format!("cannot read {}", self.component.display()))?;
        let json = section::find(&wasm).context("the file is not a component of an app")?;
        let manifest = Manifest::parse(json)?;
        let lines = fs::read(&self.events)
            .with_context(|| format!("cannot read {}", self.events.display()))?;
        let lines: Vec<Line> = serde_json::from_slice(&lines)
            .with_context(|| format!("{} is not a list of events", self.events.display()))?;
        let engine = AppEngine::new(None, None).map_err(|error| anyhow!("{error:#}"))?;
        let hash = Fingerprint::of(&wasm[..])?.to_string();
        let mut world = World::default();
        let mut code = ExitCode::SUCCESS;
        for (number, line) in (1..).zip(lines) {
            let event = world.event(number, line, &manifest)?;
            let kind = event.what.kind();
            if let Some(kind) = kind.filter(|kind| !manifest.events.contains(kind)) {
                show(&json!({"event": number, "failed": format!("The manifest does not name the event \"{}\"", kind.name())}).to_string());
                code = ExitCode::FAILURE;
                continue;
            }
            let values = world.values_of(event.scope);
            let (effects, printed) = engine.run_with_output(&hash, || &wasm, &event, &values);
            let mut answer = match effects {
                Ok(effects) => {
                    json!({"event": number, "messages": world.apply(&effects), "effects": effects})
                }
                Err(failed) => {
                    code = ExitCode::FAILURE;
                    json!({"event": number, "failed": failed.reason})
                }
            };
            if let (false, Value::Object(fields)) = (printed.is_empty(), &mut answer) {
                fields.insert("printed".to_owned(), Value::String(printed));
            }
            show(&answer.to_string());
        }
        Ok(code)
    }
}

/// What an app has done so far.
#[derive(Default)]
struct World {
    values: BTreeMap<Scope, BTreeMap<String, String>>,
    messages: i64,
}

impl World {
    fn event(&self, number: i64, line: Line, manifest: &Manifest) -> Result<AppEvent> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs();
        let entered: Vec<Entry> = entries(&line.settings);
        Ok(AppEvent {
            id: number,
            time: line.time.unwrap_or(i64::try_from(now)?),
            seed: line.seed.unwrap_or(number.unsigned_abs()),
            scope: line.scope,
            me: Person {
                id: ACCOUNT,
                name: manifest.title.clone(),
                is_guest: false,
                is_administrator: false,
            },
            settings: manifest.setting_entries(&entered),
            what: line.what,
        })
    }

    fn values_of(&self, scope: Scope) -> Vec<Entry> {
        self.values.get(&scope).map(entries).unwrap_or_default()
    }

    /// Keeps values, and returns the ids of new messages.
    fn apply(&mut self, effects: &[Effect]) -> Vec<i64> {
        let mut messages = Vec::new();
        for effect in effects {
            match effect {
                Effect::Store { scope, key, value } => self.store(*scope, key, value.as_deref()),
                Effect::Reply {
                    only_for: Some(_), ..
                } => {}
                Effect::Reply { values, .. } => messages.push(self.message(values)),
                Effect::Send(draft) => messages.push(self.message(&draft.values)),
                Effect::Edit { .. }
                | Effect::React { .. }
                | Effect::Schedule { .. }
                | Effect::Fetch { .. }
                | Effect::Log { .. } => {}
            }
        }
        messages
    }

    fn store(&mut self, scope: Scope, key: &str, value: Option<&str>) {
        let values = self.values.entry(scope).or_default();
        match value {
            Some(value) => values.insert(key.to_owned(), value.to_owned()),
            None => values.remove(key),
        };
    }

    fn message(&mut self, values: &[Entry]) -> i64 {
        let id = FIRST_MESSAGE + self.messages;
        self.messages += 1;
        for entry in values {
            self.store(
                Scope::Message(MessageId(id)),
                &entry.key,
                Some(&entry.value),
            );
        }
        id
    }
}

fn entries(values: &BTreeMap<String, String>) -> Vec<Entry> {
    let entry = |(key, value): (&String, &String)| Entry {
        key: key.clone(),
        value: value.clone(),
    };
    values.iter().map(entry).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_messages_are_kept() {
        let mut world = World::default();
        let effects: Vec<Effect> = serde_json::from_value(json!([
            {"type": "reply", "content": "x", "values": [{"key": "a", "value": "1"}]},
            {"type": "reply", "content": "x", "only_for": 3},
            {"type": "store", "scope": "message 1001", "key": "b", "value": "2"},
            {"type": "store", "scope": "message 1001", "key": "a", "value": null},
        ]))
        .unwrap();
        assert_eq!(world.apply(&effects), [1001]);
        let values = world.values_of(Scope::Message(MessageId(1001)));
        let keys: Vec<_> = values.iter().map(|entry| entry.key.as_str()).collect();
        assert_eq!(keys, ["b"]);
        assert!(world.values_of(Scope::App).is_empty());
    }
}
