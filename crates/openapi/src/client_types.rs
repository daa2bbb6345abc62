//! Writes the operations of the document as TypeScript, for the web client: `SPINDLE_WRITE=1 cargo xtask test
//! operations_of_the_web_client`.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

use serde_json::{Map, Value};

use super::DOCUMENT;

const FILE: &str = "../../components/page/web/api/operations.d.ts";
const HEAD: &str = "\
// The operations of the API and their objects. Generated from the OpenAPI document (crates/openapi) by
// `SPINDLE_WRITE=1 cargo xtask test operations_of_the_web_client`; a test fails when it is not current.
";
/// Below this path the client calls operations.
const ROOT: &str = "/api/v1";
const REFERENCE: &str = "#/components/schemas/";
/// Fields of each answer that only `http.js` reads.
const ENVELOPE: [&str; 3] = ["result", "msg", "ignored_parameters_unsupported"];
const JSON: &str = "application/json";
/// Characters of an object on one line.
const WIDTH: usize = 100;

#[test]
fn operations_of_the_web_client() {
    let expected = operations();
    let file = Path::new(&env::var_os("CARGO_MANIFEST_DIR").unwrap()).join(FILE);
    if env::var_os("SPINDLE_WRITE").is_some() {
        fs::write(&file, &expected).unwrap();
    }
    assert!(
        fs::read_to_string(&file).unwrap_or_default() == expected,
        "{FILE} is not current: SPINDLE_WRITE=1 cargo xtask test operations_of_the_web_client"
    );
}

fn operations() -> String {
    let document: Value = serde_json::from_str(DOCUMENT).unwrap();
    let mut text = format!("{HEAD}\nexport interface Operations {{\n");
    let mut named = BTreeSet::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        let Some(path) = path.strip_prefix(ROOT) else {
            continue;
        };
        for (method, operation) in item.as_object().unwrap() {
            let Some(answer) = answer(operation) else {
                continue;
            };
            let parameters = parameters(operation, &mut named);
            let answer = type_of(&answer, &mut named);
            let summary = operation["summary"].as_str().unwrap();
            let method = method.to_uppercase();
            write!(
                text,
                "  /** {summary} */\n  \"{method} {path}\": {{\n    parameters: {parameters};\n    answer: {answer};\n  }};\n"
            )
            .unwrap();
        }
    }
    text.push_str("}\n");
    let mut written = BTreeSet::new();
    while let Some(name) = named.pop_first() {
        if !written.insert(name.clone()) {
            continue;
        }
        let schema = &document["components"]["schemas"][&name];
        let mut more = BTreeSet::new();
        let form = type_of(schema, &mut more);
        writeln!(text, "export type {name} = {form};").unwrap();
        named.extend(more.difference(&written).cloned());
    }
    text
}

/// The schema of a success in JSON, without the envelope.
fn answer(operation: &Value) -> Option<Value> {
    let schema = &operation["responses"]["200"]["content"][JSON]["schema"];
    schema.is_object().then(|| without_envelope(schema))
}

fn without_envelope(schema: &Value) -> Value {
    let mut schema = schema.clone();
    if let Some(variants) = schema["oneOf"].as_array_mut() {
        for variant in variants {
            *variant = without_envelope(variant);
        }
    }
    if let Some(properties) = schema["properties"].as_object_mut() {
        properties.retain(|name, _| !ENVELOPE.contains(&name.as_str()));
    }
    schema
}

/// What a call passes, in the path, the query string or the form. Deprecated parameters are left out.
fn parameters(operation: &Value, named: &mut BTreeSet<String>) -> String {
    let mut lines = Vec::new();
    for parameter in operation["parameters"].as_array().into_iter().flatten() {
        let schema = [&parameter["schema"], &parameter["content"][JSON]["schema"]];
        let schema = schema.into_iter().find(|schema| schema.is_object());
        let name = parameter["name"].as_str().unwrap();
        let is_required = parameter["required"] == true;
        lines.extend(property(name, schema.unwrap(), is_required, named));
    }
    let forms = operation["requestBody"]["content"].as_object();
    if let Some(form) = forms.and_then(|forms| forms.values().next()) {
        let schema = &form["schema"];
        for (name, schema_of_it) in schema["properties"].as_object().into_iter().flatten() {
            let is_required = requires(schema, name);
            lines.extend(property(name, schema_of_it, is_required, named));
        }
    }
    braces(&lines)
}

fn requires(schema: &Value, name: &str) -> bool {
    schema["required"]
        .as_array()
        .is_some_and(|names| names.iter().any(|one| one == name))
}

fn property(
    name: &str,
    schema: &Value,
    is_required: bool,
    named: &mut BTreeSet<String>,
) -> Option<String> {
    // Files are sent by functions of their own.
    if schema["deprecated"] == true || schema["format"] == "binary" {
        return None;
    }
    let is_plain = name.starts_with(|first: char| first.is_ascii_alphabetic())
        && name
            .chars()
            .all(|character| character.is_ascii_alphanumeric() || character == '_');
    let name = if is_plain {
        name.to_owned()
    } else {
        format!("\"{name}\"")
    };
    let sign = if is_required { "" } else { "?" };
    Some(format!("{name}{sign}: {}", type_of(schema, named)))
}

fn braces(lines: &[String]) -> String {
    let line = format!("{{ {} }}", lines.join("; "));
    match lines.len() {
        0 => "{}".to_owned(),
        // One a line, so that a change of one is seen.
        _ if line.len() > WIDTH => format!("{{\n    {};\n  }}", lines.join(";\n    ")),
        _ => line,
    }
}

fn union(types: impl Iterator<Item = String>) -> String {
    let types: BTreeSet<String> = types.collect();
    types.into_iter().collect::<Vec<_>>().join(" | ")
}

/// A schema as a type; names of other schemas are added to `named`.
fn type_of(schema: &Value, named: &mut BTreeSet<String>) -> String {
    if let Some(reference) = schema["$ref"].as_str() {
        let name = reference.strip_prefix(REFERENCE).unwrap();
        named.insert(name.to_owned());
        return name.to_owned();
    }
    if let Some(value) = schema.get("const") {
        return value.to_string();
    }
    if let Some(values) = schema["enum"].as_array() {
        // Numbers come from fields of forms, whose values TypeScript cannot narrow.
        return union(values.iter().map(|value| match value {
            Value::Number(_) => "number".to_owned(),
            _ => value.to_string(),
        }));
    }
    if let Some(variants) = schema["oneOf"].as_array() {
        return union(variants.iter().map(|variant| type_of(variant, named)));
    }
    if let Some(types) = schema["type"].as_array() {
        let mut schema = schema.clone();
        return union(types.iter().map(|one| {
            schema["type"] = one.clone();
            type_of(&schema, named)
        }));
    }
    match schema["type"].as_str() {
        Some("array") => list(schema, named),
        Some("boolean") => "boolean".to_owned(),
        Some("integer" | "number") => "number".to_owned(),
        Some("null") => "null".to_owned(),
        Some("object") => object(schema.as_object().unwrap(), named),
        Some("string") => "string".to_owned(),
        // Any JSON.
        _ => "any".to_owned(),
    }
}

fn list(schema: &Value, named: &mut BTreeSet<String>) -> String {
    if let Some(items) = schema["prefixItems"].as_array() {
        let items: Vec<String> = items.iter().map(|item| type_of(item, named)).collect();
        return format!("[{}]", items.join(", "));
    }
    let item = type_of(&schema["items"], named);
    if item.contains(" | ") {
        format!("({item})[]")
    } else {
        format!("{item}[]")
    }
}

fn object(schema: &Map<String, Value>, named: &mut BTreeSet<String>) -> String {
    let whole = Value::Object(schema.clone());
    let lines: Vec<String> = schema
        .get("properties")
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
        .filter_map(|(name, property_of_it)| {
            property(name, property_of_it, requires(&whole, name), named)
        })
        .collect();
    let patterns = schema.get("patternProperties").and_then(Value::as_object);
    let others = patterns
        .into_iter()
        .flat_map(Map::values)
        .chain(schema.get("additionalProperties"))
        .filter(|others| others.is_object());
    let others: Vec<String> = others.map(|others| type_of(others, named)).collect();
    match (lines.is_empty(), others.is_empty()) {
        (_, true) if schema.get("additionalProperties") == Some(&Value::Bool(true)) => {
            "Record<string, any>".to_owned()
        }
        (_, true) => braces(&lines),
        (true, false) => format!("Record<string, {}>", union(others.into_iter())),
        (false, false) => format!(
            "{} & Record<string, {}>",
            braces(&lines),
            union(others.into_iter())
        ),
    }
}
