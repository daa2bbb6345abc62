//! Descriptions and examples of parameters and fields, from `fields/*.yaml`.
//!
//! The entry of a field is the one for its operation, schema or enclosing field (`send-message.to`), else the one
//! for its name alone. The first is better than a description next to the field in `paths` or `schemas`, the second is
//! not. An entry that nothing uses fails the build.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::Result;

/// What precedes the name of a setting of the organization where it is a field of the register response.
const OF_REALM: &str = "realm_";

/// The scope of the fields that all events have, and the end of the names of their schemas.
const EVENT: &str = "Event";

/// All entries, and the names of those that were used.
pub(crate) struct Fields {
    entries: BTreeMap<String, Entry>,
    used: RefCell<BTreeSet<String>>,
}

/// A description, alone or with an example.
#[derive(Deserialize)]
#[serde(untagged)]
enum Entry {
    Description(String),
    WithExample(String, Value),
}

impl Fields {
    pub(crate) fn read(folder: &Path) -> Result<Self> {
        let mut entries = BTreeMap::new();
        for file in crate::files(folder)? {
            let of_file: BTreeMap<String, Entry> = serde_json::from_value(crate::read(&file)?)
                .map_err(|error| format!("{}: {error}", file.display()))?;
            for (name, entry) in of_file {
                if entries.insert(name.clone(), entry).is_some() {
                    return Err(format!("{}: {name} exists already", file.display()).into());
                }
            }
        }
        let used = RefCell::default();
        Ok(Self { entries, used })
    }

    /// Fails when entries were never used.
    pub(crate) fn check_use(&self) -> Result<()> {
        let used = self.used.borrow();
        let names = self.entries.keys().filter(|name| !used.contains(*name));
        let unused: Vec<&str> = names.map(String::as_str).collect();
        if unused.is_empty() {
            return Ok(());
        }
        Err(format!("fields: nothing is named {}", unused.join(", ")).into())
    }

    /// Describes all fields of a schema, at any depth. `scopes` are the names of the operation or schema and of the
    /// fields around it, outermost first.
    pub(crate) fn describe(&self, schema: &mut Value, scopes: &mut Vec<String>) {
        match schema {
            Value::Array(list) => {
                for one in list {
                    self.describe(one, scopes);
                }
            }
            Value::Object(node) => {
                for (key, value) in node {
                    match (key.as_str(), value) {
                        ("properties", Value::Object(properties)) => {
                            for (name, property) in properties {
                                self.add(name, property, scopes);
                            }
                        }
                        ("examples" | "example" | "enum" | "const", _) => {}
                        (_, value) => self.describe(value, scopes),
                    }
                }
            }
            _ => {}
        }
    }

    /// Describes one field or parameter, and the fields in it.
    pub(crate) fn add(&self, name: &str, schema: &mut Value, scopes: &mut Vec<String>) {
        if let (Some((entry, is_own)), Some(node)) =
            (self.find(name, scopes), schema.as_object_mut())
        {
            let (description, example) = match entry {
                Entry::Description(description) => (description, None),
                Entry::WithExample(description, example) => (description, Some(example)),
            };
            complete(node, description, is_own);
            if let Some(example) = example.filter(|_| !node.contains_key("const")) {
                node.entry("examples").or_insert_with(|| json!([example]));
            }
        }
        scopes.push(name.to_owned());
        self.describe(schema, scopes);
        scopes.pop();
    }

    /// The entry of a field, and whether it is one for this operation, schema or enclosing field.
    fn find(&self, name: &str, scopes: &[String]) -> Option<(&Entry, bool)> {
        let is_event = |scope: &&String| scope.ends_with(EVENT);
        let event = scopes.last().filter(is_event).map(|_| EVENT);
        let scopes = scopes.iter().rev().map(String::as_str).chain(event);
        let own = scopes.map(|scope| (format!("{scope}.{name}"), true));
        let short = name.strip_prefix(OF_REALM);
        let general = [Some(name), short].into_iter().flatten();
        let mut names = own.chain(general.map(|name| (name.to_owned(), false)));
        names.find_map(|(name, is_own)| {
            let entry = self.entries.get(&name)?;
            self.used.borrow_mut().insert(name);
            Some((entry, is_own))
        })
    }
}

/// A note of a table is added to the description. A description next to the field is better than a general one.
fn complete(node: &mut Map<String, Value>, description: &str, is_own: bool) {
    let text = match node.remove("x-note") {
        Some(Value::String(note)) => format!("{description} {note}."),
        _ => description.to_owned(),
    };
    if is_own || !node.contains_key("description") {
        node.insert("description".to_owned(), json!(text));
    }
}
