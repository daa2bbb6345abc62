//! Texts of the reference: types in words with links to objects, and descriptions as markup.

use serde_json::Value;

use crate::escaping::escaped;

/// Values of an enumeration that are listed; of languages and other long lists there are the first ones.
const MOST_VALUES: usize = 24;

/// A schema in words.
pub(super) fn type_of(schema: &Value) -> String {
    if let Some(reference) = schema["$ref"].as_str() {
        let name = reference.rsplit('/').next().unwrap_or_default();
        return format!("<a href=\"#{name}\">{name}</a>");
    }
    if let Some(content) = schema.get("contentSchema") {
        return format!("JSON text: {}", type_of(content));
    }
    if let Some(value) = schema.get("const") {
        return value_of(value);
    }
    if let Some(values) = schema["enum"].as_array() {
        let mut words: Vec<String> = values.iter().take(MOST_VALUES).map(value_of).collect();
        if values.len() > MOST_VALUES {
            words.push("…".to_owned());
        }
        return words.join(", ");
    }
    if let Some(forms) = schema["oneOf"].as_array() {
        return forms.iter().map(type_of).collect::<Vec<_>>().join(" or ");
    }
    match &schema["type"] {
        Value::Array(kinds) => {
            let words: Vec<String> = kinds.iter().map(|kind| of_kind(kind, schema)).collect();
            words.join(" or ")
        }
        kind => of_kind(kind, schema),
    }
}

fn of_kind(kind: &Value, schema: &Value) -> String {
    match kind.as_str().unwrap_or_default() {
        "string" if schema["format"] == "binary" => "file".to_owned(),
        "string" => "text".to_owned(),
        "array" => list(schema),
        "object" => members(schema),
        "" => "any JSON".to_owned(),
        other => other.to_owned(),
    }
}

fn list(schema: &Value) -> String {
    match schema["prefixItems"].as_array() {
        Some(items) => {
            let items: Vec<String> = items.iter().map(type_of).collect();
            format!("list: {}", items.join(", "))
        }
        None => format!("list of {}", type_of(&schema["items"])),
    }
}

fn members(schema: &Value) -> String {
    let fields = schema["properties"].as_object().into_iter().flatten();
    let mut parts: Vec<String> = fields
        .map(|(name, field)| {
            let meaning = prose(&field["description"]);
            format!("<li><code>{name}</code> {}. {meaning}</li>", type_of(field))
        })
        .collect();
    let patterns = schema["patternProperties"].as_object();
    let others = patterns.into_iter().flat_map(|all| all.values());
    let others = others.chain(schema.get("additionalProperties"));
    for other in others.filter(|one| one.is_object()) {
        parts.push(format!("<li>by key: {}</li>", type_of(other)));
    }
    match parts.is_empty() {
        true => "object".to_owned(),
        false => format!("object<ul>{}</ul>", parts.concat()),
    }
}

fn value_of(value: &Value) -> String {
    match value.as_str() {
        Some("") => "empty text".to_owned(),
        Some(text) => format!("<code>{}</code>", escaped(text)),
        None => format!("<code>{value}</code>"),
    }
}

/// A text without markup.
pub(super) fn text(value: &Value) -> String {
    escaped(value.as_str().unwrap_or_default())
}

/// A description, in which names stand between back ticks.
pub(super) fn prose(value: &Value) -> String {
    let escaped = text(value);
    let parts = escaped.split('`').enumerate();
    parts
        .map(|(number, part)| match number % 2 {
            0 => part.to_owned(),
            _ => format!("<code>{part}</code>"),
        })
        .collect()
}
