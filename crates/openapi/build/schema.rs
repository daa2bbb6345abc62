//! Expands the short forms of schemas into plain JSON Schema.
//!
//! Composition is flattened, because `additionalProperties: false` and `allOf` do not
//! work together: each part of an `allOf` would refuse the properties of the others.

use crate::Result;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Code points of a text, and elements of a list, in a parameter without a limit of its own.
const MOST: u32 = 10_000;

/// The named schemas, as written.
pub(crate) struct Schemas(Map<String, Value>);

/// Properties of an object with all that it includes.
#[derive(Default)]
struct Properties {
    all: BTreeMap<String, Value>,
    optional: BTreeSet<String>,
}

impl Schemas {
    pub(crate) fn new(named: Map<String, Value>) -> Self {
        Self(named)
    }

    /// Every schema by name, expanded.
    pub(crate) fn expanded(&self) -> Result<Value> {
        let mut result = Map::new();
        for (name, schema) in &self.0 {
            let schema = self
                .expand(schema)
                .map_err(|error| format!("{name}: {error}"))?;
            result.insert(name.clone(), schema);
        }
        Ok(Value::Object(result))
    }

    /// A reference to a schema that must exist.
    pub(crate) fn reference(&self, name: &str) -> Result<Value> {
        self.named(name)?;
        Ok(json!({ "$ref": format!("#/components/schemas/{name}") }))
    }

    /// One schema, expanded.
    pub(crate) fn expand(&self, schema: &Value) -> Result<Value> {
        let Value::Object(node) = schema else {
            return Ok(schema.clone());
        };
        if let Some(Value::String(name)) = node.get("$ref") {
            let mut reference = self.reference(name)?;
            if let Some(description) = node.get("description") {
                crate::merge(&mut reference, "description", description.clone())?;
            }
            return Ok(reference);
        }
        let is_object = ["properties", "include", "sections", "tables"]
            .iter()
            .any(|key| node.contains_key(*key));
        let mut result = if is_object {
            self.expand_object(node)?
        } else {
            Map::new()
        };
        for (key, value) in node {
            let value = match key.as_str() {
                "properties" | "include" | "optional" | "sections" | "tables" => continue,
                "items" | "additionalProperties" | "propertyNames" => self.expand(value)?,
                "oneOf" | "anyOf" | "prefixItems" => self.expand_list(value)?,
                "patternProperties" => self.expand_members(value)?,
                "type" | "const" | "enum" | "format" | "pattern" | "minimum" | "maximum"
                | "minLength" | "maxLength" | "minItems" | "maxItems" | "uniqueItems"
                | "description" | "examples" | "minProperties" | "maxProperties" | "deprecated"
                | "x-cut-at" | "x-bound" | "x-note" | "x-since" => value.clone(),
                other => return Err(format!("unknown key {other}").into()),
            };
            result.insert(key.clone(), value);
        }
        Ok(Value::Object(result))
    }

    /// Adds the limits that every parameter has to an expanded schema without limits of its own.
    pub(crate) fn bound(&self, schema: &mut Value) -> Result<()> {
        let Some(node) = schema.as_object_mut() else {
            return Ok(());
        };
        if let Some(Value::Array(variants)) = node.get_mut("oneOf") {
            return variants.iter_mut().try_for_each(|one| self.bound(one));
        }
        let target = match node.get("$ref").and_then(Value::as_str) {
            Some(reference) => self.expand(self.named(name_of(reference))?)?,
            None => Value::Object(node.clone()),
        };
        let has = |key: &str| target.get(key).is_some();
        let is = |kind: &str| match target.get("type") {
            Some(Value::Array(kinds)) => kinds.iter().any(|one| one == kind),
            other => other.is_some_and(|one| one == kind),
        };
        if ["enum", "const", "x-cut-at", "x-bound"]
            .into_iter()
            .any(has)
        {
            return Ok(());
        }
        let is_open = is("object") && has("additionalProperties") && !has("properties");
        for (applies, key) in [
            (is("string"), "maxLength"),
            (is("array"), "maxItems"),
            (is_open, "maxProperties"),
        ] {
            if applies && !has(key) {
                node.insert(key.to_owned(), json!(MOST));
            }
        }
        Ok(())
    }

    fn expand_list(&self, list: &Value) -> Result<Value> {
        let list = list.as_array().ok_or("expected a list of schemas")?;
        list.iter().map(|schema| self.expand(schema)).collect()
    }

    fn expand_members(&self, members: &Value) -> Result<Value> {
        let members = members.as_object().ok_or("expected schemas by name")?;
        let mut result = Map::new();
        for (name, schema) in members {
            result.insert(name.clone(), self.expand(schema)?);
        }
        Ok(Value::Object(result))
    }

    fn expand_object(&self, node: &Map<String, Value>) -> Result<Map<String, Value>> {
        let properties = self.properties(node)?;
        let mut expanded = Map::new();
        for (name, schema) in &properties.all {
            let schema = self
                .expand(schema)
                .map_err(|error| format!("{name}: {error}"))?;
            expanded.insert(name.clone(), schema);
        }
        let required: Vec<_> = properties
            .all
            .keys()
            .filter(|name| !properties.optional.contains(*name))
            .collect();
        let mut result = Map::new();
        result.insert("type".to_owned(), json!("object"));
        result.insert("properties".to_owned(), Value::Object(expanded));
        result.insert("required".to_owned(), json!(required));
        result.insert("additionalProperties".to_owned(), json!(false));
        let dependent = self.dependent_required(node)?;
        if !dependent.is_empty() {
            result.insert("dependentRequired".to_owned(), json!(dependent));
        }
        Ok(result)
    }

    fn properties(&self, node: &Map<String, Value>) -> Result<Properties> {
        let mut found = Properties::default();
        for name in self.names(node, "include")? {
            let included = self.properties(self.object(name)?)?;
            found.all.extend(included.all);
            found.optional.extend(included.optional);
        }
        for name in self.names(node, "sections")? {
            let section = self.properties(self.object(name)?)?;
            found.optional.extend(section.all.keys().cloned());
            found.all.extend(section.all);
        }
        for name in self.names(node, "tables")? {
            let table = self.properties(self.object(name)?)?;
            found.optional.extend(table.all.keys().cloned());
            found.all.extend(table.all);
        }
        if let Some(own) = node.get("properties") {
            let own = own
                .as_object()
                .ok_or("properties: expected schemas by name")?;
            for (name, schema) in own {
                // A repeated property overrides: an included optional one becomes required.
                found.optional.remove(name);
                found.all.insert(name.clone(), schema.clone());
            }
        }
        for name in self.names(node, "optional")? {
            if !found.all.contains_key(name) {
                return Err(format!("optional {name} is not a property").into());
            }
            found.optional.insert(name.to_owned());
        }
        Ok(found)
    }

    /// "All of a section or none of it": each required property demands one of them, and that
    /// one demands all.
    fn dependent_required(
        &self,
        node: &Map<String, Value>,
    ) -> Result<BTreeMap<String, Vec<String>>> {
        let mut dependent: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for included in self.names(node, "include")? {
            dependent.extend(self.dependent_required(self.object(included)?)?);
        }
        for section in self.names(node, "sections")? {
            let properties = self.properties(self.object(section)?)?;
            let required: Vec<String> = properties
                .all
                .into_keys()
                .filter(|name| !properties.optional.contains(name))
                .collect();
            let Some((first, others)) = required.split_first() else {
                return Err(format!("section {section} requires nothing").into());
            };
            dependent
                .entry(first.clone())
                .or_default()
                .extend_from_slice(others);
            for other in others {
                dependent
                    .entry(other.clone())
                    .or_default()
                    .push(first.clone());
            }
        }
        dependent.retain(|_, demanded| !demanded.is_empty());
        Ok(dependent)
    }

    /// The names that a key lists. `*Ending` are all schemas whose names end so.
    fn names<'n>(&'n self, node: &'n Map<String, Value>, key: &str) -> Result<Vec<&'n str>> {
        let list = match node.get(key) {
            None => return Ok(Vec::new()),
            Some(Value::Array(list)) => list,
            Some(Value::String(pattern)) => {
                let ending = pattern
                    .strip_prefix('*')
                    .filter(|ending| !ending.is_empty());
                let ending = ending.ok_or_else(|| format!("{key}: expected *Ending"))?;
                let all = self.0.keys().map(String::as_str);
                return Ok(all.filter(|name| name.ends_with(ending)).collect());
            }
            Some(_) => return Err(format!("{key}: expected a list of names").into()),
        };
        list.iter()
            .map(|name| {
                Ok(name
                    .as_str()
                    .ok_or_else(|| format!("{key}: expected names"))?)
            })
            .collect()
    }

    fn named(&self, name: &str) -> Result<&Value> {
        Ok(self
            .0
            .get(name)
            .ok_or_else(|| format!("there is no schema {name}"))?)
    }

    fn object(&self, name: &str) -> Result<&Map<String, Value>> {
        let schema = self.named(name)?.as_object();
        Ok(schema.ok_or_else(|| format!("{name} cannot be included"))?)
    }
}

fn name_of(reference: &str) -> &str {
    reference.rsplit('/').next().unwrap_or(reference)
}
