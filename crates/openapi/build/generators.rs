//! The parts of the published document that only its form concerns, for generators of clients.
//!
//! - Of paths that differ only in the name of a parameter, one is left, whose parameter takes the values of all.
//! - An object inside a shared schema is a schema of its own, named after the field or form that it belongs to.
//! - There is no `const` but of texts, and a list says what it holds even if it is always empty.
//! - Schemas that only make up others are left out.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use crate::Result;
use crate::published::{SCHEMAS, list_mut, object};

/// # Errors
/// When two paths cannot be joined, or two schemas get the same name.
pub(crate) fn prepare(document: &mut Value) -> Result<()> {
    join(object(document.get_mut("paths"))?)?;
    drop_unused(document)?;
    name_inner(object(document.pointer_mut(SCHEMAS))?)?;
    plain_values(document);
    Ok(())
}

/// Joins paths that differ only in the names of parameters: the first operation of a method stays, and its
/// parameters in the path take the values of all.
fn join(paths: &mut Map<String, Value>) -> Result<()> {
    let mut alike: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for path in paths.keys() {
        let parts = path.split('/').map(|part| match part.starts_with('{') {
            true => "{}",
            false => part,
        });
        let form = parts.collect::<Vec<_>>().join("/");
        alike.entry(form).or_default().push(path.clone());
    }
    for mut names in alike.into_values().filter(|names| names.len() > 1) {
        // The one with an id, by which objects are usually found.
        names.sort_by_key(|name| !name.ends_with("_id}"));
        let others: Vec<Value> = names[1..]
            .iter()
            .filter_map(|name| paths.remove(name))
            .collect();
        let first = object(paths.get_mut(&names[0]))?;
        for other in others {
            for (method, operation) in other.as_object().into_iter().flatten() {
                match first.get_mut(method) {
                    Some(kept) => widen(kept, operation),
                    None => return Err(format!("{method} is only at one of {names:?}").into()),
                }
            }
        }
    }
    Ok(())
}

fn widen(kept: &mut Value, other: &Value) {
    let in_path = |one: &&Value| one["in"] == "path";
    let others: Vec<Value> = other["parameters"]
        .as_array()
        .into_iter()
        .flatten()
        .filter(in_path)
        .cloned()
        .collect();
    let own = list_mut(kept, "parameters").filter(|one| one["in"] == "path");
    for (parameter, other) in own.zip(others) {
        let texts = [&parameter["description"], &other["description"]];
        let texts = texts.map(|text| text.as_str().unwrap_or_default().trim_end_matches('.'));
        parameter["description"] = json!(format!("{}. Or: {}.", texts[0], texts[1]));
        parameter["schema"] = json!({ "oneOf": [parameter["schema"], other["schema"]] });
    }
}

/// Gives each object inside a schema a name.
fn name_inner(schemas: &mut Map<String, Value>) -> Result<()> {
    let mut named = Map::new();
    for (name, schema) in std::mem::take(schemas) {
        let schema = extract(schema, &name, true, &mut named)?;
        insert(&mut named, name, schema)?;
    }
    *schemas = named;
    Ok(())
}

fn insert(named: &mut Map<String, Value>, name: String, schema: Value) -> Result<()> {
    match named.insert(name.clone(), schema) {
        None => Ok(()),
        Some(_) => Err(format!("two schemas are named {name}").into()),
    }
}

/// Moves inner objects to `named`, and returns what is left of the schema: itself, or a reference.
fn extract(
    mut schema: Value,
    name: &str,
    is_outermost: bool,
    named: &mut Map<String, Value>,
) -> Result<Value> {
    let Some(node) = schema.as_object_mut() else {
        return Ok(schema);
    };
    for (key, value) in node.iter_mut() {
        match (key.as_str(), value) {
            ("properties", Value::Object(properties)) => {
                for (field, property) in properties {
                    let name = format!("{name}{}", pascal(field));
                    *property = extract(property.take(), &name, false, named)?;
                }
            }
            ("oneOf" | "anyOf" | "prefixItems", Value::Array(forms)) => {
                for (number, form) in forms.iter_mut().enumerate() {
                    let name = format!("{name}{}", number + 1);
                    *form = extract(form.take(), &name, false, named)?;
                }
            }
            ("items" | "additionalProperties", value) if value.is_object() => {
                *value = extract(value.take(), &format!("{name}Item"), false, named)?;
            }
            ("patternProperties", Value::Object(patterns)) => {
                for value in patterns.values_mut() {
                    *value = extract(value.take(), &format!("{name}Item"), false, named)?;
                }
            }
            _ => {}
        }
    }
    if is_outermost || !node.contains_key("properties") {
        return Ok(schema);
    }
    let mut reference = json!({ "$ref": format!("#{SCHEMAS}/{name}") });
    if let Some(description) = node.get("description") {
        reference["description"] = description.clone();
    }
    insert(named, name.to_owned(), schema)?;
    Ok(reference)
}

/// `display_recipient` as `DisplayRecipient`.
fn pascal(name: &str) -> String {
    let words = name.split(|character: char| !character.is_ascii_alphanumeric());
    let capital = |word: &str| word[..1].to_uppercase() + &word[1..];
    words.filter(|word| !word.is_empty()).map(capital).collect()
}

fn plain_values(value: &mut Value) {
    match value {
        Value::Array(list) => list.iter_mut().for_each(plain_values),
        Value::Object(node) => {
            let kind = match node.get("const") {
                Some(Value::Bool(_)) => Some("boolean"),
                Some(Value::Number(_)) => Some("integer"),
                _ => None,
            };
            if let Some(kind) = kind {
                let only = node.remove("const");
                node.insert("type".to_owned(), json!(kind));
                node.insert("enum".to_owned(), json!([only]));
            }
            let is_list = node.get("type") == Some(&json!("array"));
            if is_list && !node.contains_key("prefixItems") {
                node.entry("items").or_insert_with(|| json!({}));
            }
            node.values_mut().for_each(plain_values);
        }
        _ => {}
    }
}

/// Leaves only the schemas that operations lead to.
fn drop_unused(document: &mut Value) -> Result<()> {
    let mut used = BTreeSet::new();
    let mut due = Vec::new();
    references(&document["paths"], &mut due);
    while let Some(name) = due.pop() {
        if used.insert(name.clone()) {
            references(&document["components"]["schemas"][&name], &mut due);
        }
    }
    object(document.pointer_mut(SCHEMAS))?.retain(|name, _| used.contains(name));
    Ok(())
}

fn references(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Array(list) => list.iter().for_each(|one| references(one, found)),
        Value::Object(node) => {
            if let Some(name) = node.get("$ref").and_then(Value::as_str) {
                found.extend(name.rsplit('/').next().map(str::to_owned));
            }
            node.values().for_each(|one| references(one, found));
        }
        _ => {}
    }
}
