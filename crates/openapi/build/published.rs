//! The document as it is published: with descriptions and examples, and in a form that generators of clients take.
//!
//! - An operation has one content type.
//! - What travels as JSON text is a text, whose `contentSchema` says what it contains. Numbers, `true` and `false`
//!   are the same in both forms.

use serde_json::{Map, Value, json};

use crate::fields::Fields;
use crate::{Result, examples, generators};

pub(crate) const SCHEMAS: &str = "/components/schemas";
/// The field of an answer that names mistakes of the call.
const IGNORED: &str = "ignored_parameters_unsupported";
const JSON: &str = "application/json";
const FORM: &str = "application/x-www-form-urlencoded";
const MULTIPART: &str = "multipart/form-data";

/// # Errors
/// When an entry of `fields` is not used, or the document is not one.
pub(crate) fn published(document: &Value, fields: &Fields) -> Result<Value> {
    let mut document = document.clone();
    let schemas = object(document.pointer_mut(SCHEMAS))?;
    for (name, schema) in schemas {
        fields.describe(schema, &mut vec![name.clone()]);
    }
    let mut paths = object(document.get_mut("paths"))?.clone();
    for operation in paths.values_mut().flat_map(values_mut) {
        describe(operation, &document, fields)?;
        one_content_type(operation, &document)?;
        add_example(operation, &document)?;
    }
    fields.check_use()?;
    document["paths"] = Value::Object(paths);
    generators::prepare(&mut document)?;
    Ok(document)
}

pub(crate) fn object(value: Option<&mut Value>) -> Result<&mut Map<String, Value>> {
    let object = value.and_then(Value::as_object_mut);
    Ok(object.ok_or("expected an object")?)
}

fn values_mut(value: &mut Value) -> impl Iterator<Item = &mut Value> {
    value.as_object_mut().into_iter().flat_map(Map::values_mut)
}

pub(crate) fn list_mut<'v>(value: &'v mut Value, key: &str) -> impl Iterator<Item = &'v mut Value> {
    let list = value.get_mut(key).and_then(Value::as_array_mut);
    list.into_iter().flatten()
}

/// Describes parameters and fields of the answer. A listed parameter has its description and example next to its
/// schema, a field of a form in it.
fn describe(operation: &mut Value, document: &Value, fields: &Fields) -> Result<()> {
    let id = operation["operationId"].as_str().ok_or("operationId")?;
    let mut scopes = vec![id.to_owned()];
    for parameter in list_mut(operation, "parameters") {
        let name = parameter["name"].as_str().ok_or("name")?.to_owned();
        let is_json = parameter.get("content").is_some();
        let mut schema = match is_json {
            true => parameter["content"][JSON]["schema"].take(),
            false => parameter["schema"].take(),
        };
        if let (Some(own), Some(node)) = (parameter.get("description"), schema.as_object_mut()) {
            node.insert("description".to_owned(), own.clone());
        }
        fields.add(&name, &mut schema, &mut scopes);
        if is_json {
            schema = as_text(schema, document);
        }
        let parameter = object(Some(parameter))?;
        parameter.remove("content");
        if let Some(description) = schema.get("description") {
            parameter.insert("description".to_owned(), description.clone());
        }
        if let Some(example) = examples::of(&schema, document) {
            parameter.insert("example".to_owned(), example);
        }
        let node = object(Some(&mut schema))?;
        node.remove("description");
        node.remove("examples");
        parameter.insert("schema".to_owned(), schema);
    }
    if let Some(content) = operation.pointer_mut("/requestBody/content") {
        for media in values_mut(content) {
            if let Some(schema) = media.get_mut("schema") {
                fields.describe(schema, &mut scopes);
            }
        }
    }
    if let Some(content) = operation.pointer_mut("/responses/200/content") {
        for media in values_mut(content) {
            if let Some(schema) = media.get_mut("schema") {
                fields.describe(schema, &mut scopes);
            }
        }
    }
    Ok(())
}

/// A form where that is enough, `multipart/form-data` for files. Servers take both for every form.
fn one_content_type(operation: &mut Value, document: &Value) -> Result<()> {
    let Some(content) = operation.pointer_mut("/requestBody/content") else {
        return Ok(());
    };
    let content = object(Some(content))?;
    let other = match content.get(FORM) == content.get(MULTIPART) {
        true => MULTIPART,
        false => FORM,
    };
    content.remove(other);
    for media in content.values_mut() {
        let media = object(Some(media))?;
        let encoding = media.remove("encoding").unwrap_or_default();
        let properties = media
            .get_mut("schema")
            .and_then(|schema| schema.get_mut("properties"));
        let properties = properties.and_then(Value::as_object_mut);
        for (name, property) in properties.into_iter().flatten() {
            if encoding.get(name).is_some() {
                *property = as_text(property.take(), document);
            } else if let Some(example) = examples::of(property, document) {
                property["examples"] = json!([example]);
            }
        }
    }
    Ok(())
}

/// A value that travels as JSON text.
fn as_text(mut schema: Value, document: &Value) -> Value {
    let example = examples::of(&schema, document);
    if is_written_alike(&schema, document) {
        if let Some(example) = example {
            schema["examples"] = json!([example]);
        }
        return schema;
    }
    let mut text = json!({ "type": "string", "contentMediaType": JSON });
    for key in ["description", "deprecated"] {
        if let Some(value) = schema.as_object_mut().and_then(|node| node.remove(key)) {
            text[key] = value;
        }
    }
    if let Some(example) = example {
        text["examples"] = json!([example.to_string()]);
    }
    text["contentSchema"] = schema;
    text
}

/// Whether all values are the same as JSON and in a form: numbers, booleans, null.
fn is_written_alike(schema: &Value, document: &Value) -> bool {
    if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
        let target = document.pointer(reference.trim_start_matches('#'));
        return target.is_some_and(|target| is_written_alike(target, document));
    }
    if let Some(Value::Array(variants)) = schema.get("oneOf") {
        return variants.iter().all(|one| is_written_alike(one, document));
    }
    if let Some(Value::Array(values)) = schema.get("enum") {
        return values.iter().all(|value| !value.is_string());
    }
    let is_plain = |kind: &Value| {
        let kind = kind.as_str().unwrap_or_default();
        ["boolean", "integer", "number", "null"].contains(&kind)
    };
    match schema.get("type") {
        Some(Value::Array(kinds)) => kinds.iter().all(is_plain),
        Some(kind) => is_plain(kind),
        None => false,
    }
}

/// Adds an example of a call and of its answer.
fn add_example(operation: &mut Value, document: &Value) -> Result<()> {
    let shown = operation.get("x-shown").cloned().unwrap_or_default();
    if let Some(content) = operation.pointer_mut("/requestBody/content") {
        for (kind, media) in object(Some(content))? {
            let mut example = examples::of(&media["schema"], document);
            if let Some(Value::Object(values)) = example.as_mut().filter(|_| kind != JSON) {
                keep_sent(values, &media["schema"], &shown);
            }
            if let Some(example) = example {
                media["example"] = example;
            }
        }
    }
    let answer = operation
        .pointer_mut("/responses/200/content")
        .and_then(|content| content.get_mut(JSON));
    if let Some(media) = answer
        && let Some(mut example) = examples::of(&media["schema"], document)
    {
        if let Some(fields) = example.as_object_mut() {
            fields.remove(IGNORED);
        }
        media["example"] = example;
    }
    Ok(())
}

/// Leaves what the example of a call sends: required parameters and those that the operation's file shows. Where there
/// are none, the first one shows what a call looks like.
fn keep_sent(values: &mut Map<String, Value>, schema: &Value, shown: &Value) {
    let has = |list: &Value, name: &str| {
        let list = list.as_array();
        list.is_some_and(|names| names.iter().any(|one| one == name))
    };
    let is_current = |name: &&String| schema["properties"][*name]["deprecated"] != true;
    let first = values.keys().find(is_current).cloned();
    let mut sent = values.clone();
    sent.retain(|name, _| has(&schema["required"], name) || has(shown, name));
    if let (true, Some(first)) = (sent.is_empty(), first) {
        sent.extend(values.remove_entry(&first));
    }
    *values = sent;
}
