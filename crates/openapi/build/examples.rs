//! Example values, put together from the examples of the fields.

use serde_json::{Map, Value, json};

/// An example of a schema; `None` when a field of it has none. `document` holds the schemas that it refers to.
pub(crate) fn of(schema: &Value, document: &Value) -> Option<Value> {
    for key in ["examples", "enum"] {
        if let Some(first) = schema.get(key).and_then(|values| values.get(0)) {
            return Some(first.clone());
        }
    }
    if let Some(value) = schema.get("const") {
        return Some(value.clone());
    }
    if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
        return of(document.pointer(reference.strip_prefix('#')?)?, document);
    }
    for key in ["oneOf", "anyOf"] {
        if let Some(Value::Array(variants)) = schema.get(key) {
            return variants.iter().find_map(|one| of(one, document));
        }
    }
    let kind = match schema.get("type") {
        Some(Value::Array(kinds)) => kinds.iter().find(|kind| *kind != "null"),
        other => other,
    };
    match kind.and_then(Value::as_str)? {
        "boolean" => Some(json!(true)),
        "array" => list(schema, document),
        "object" => object(schema, document).map(Value::Object),
        _ => None,
    }
}

fn list(schema: &Value, document: &Value) -> Option<Value> {
    if schema.get("maxItems") == Some(&json!(0)) {
        return Some(json!([]));
    }
    if let Some(Value::Array(items)) = schema.get("prefixItems") {
        let items = items.iter().map(|item| of(item, document));
        return items.collect::<Option<Vec<Value>>>().map(Value::Array);
    }
    match schema.get("items") {
        Some(items) => Some(json!([of(items, document)?])),
        None => Some(json!([])),
    }
}

fn object(schema: &Value, document: &Value) -> Option<Map<String, Value>> {
    let mut object = Map::new();
    for (name, property) in members(schema, "properties") {
        object.insert(name.clone(), of(property, document)?);
    }
    for (pattern, others) in members(schema, "patternProperties") {
        object.insert(key(pattern).to_owned(), of(others, document)?);
    }
    if let Some(others) = schema
        .get("additionalProperties")
        .filter(|one| one.is_object())
    {
        let names = schema
            .get("propertyNames")
            .and_then(|one| of(one, document));
        let name = names.as_ref().and_then(Value::as_str).unwrap_or("name");
        object.insert(name.to_owned(), of(others, document)?);
    }
    Some(object)
}

fn members<'s>(schema: &'s Value, key: &str) -> impl Iterator<Item = (&'s String, &'s Value)> {
    schema
        .get(key)
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
}

/// A key that matches the pattern: the code of an emoji, an address, or an id.
fn key(pattern: &str) -> &'static str {
    match pattern {
        _ if pattern.contains("a-f") => "1f389",
        _ if pattern.contains('@') => "ada@example.com",
        _ => "9",
    }
}
