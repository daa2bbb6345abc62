//! Writes the reference of the API as a page: each operation with its parameters, its answer, its errors and calls in
//! three languages, then the objects. Everything is from the published OpenAPI document.
#![expect(
    clippy::indexing_slicing,
    reason = "a mistake in the document stops the build and not a server"
)]

mod calls;
mod types;

use std::fmt::Write as _;

use serde_json::{Map, Value};

use crate::Result;
use crate::escaping::escaped;
use types::{prose, text, type_of};

const FORM: &str = "application/x-www-form-urlencoded";
const JSON: &str = "application/json";
/// The tag of the web client's own files, which no program calls.
const PAGES: &str = "page";
/// Fields of every answer.
const ENVELOPE: [&str; 3] = ["result", "msg", "ignored_parameters_unsupported"];
const METHODS: [&str; 5] = ["get", "post", "put", "patch", "delete"];

/// An operation with its address.
struct Operation<'d> {
    id: &'d str,
    group: &'d str,
    method: String,
    path: &'d str,
    node: &'d Value,
}

/// Fills the template of the page.
///
/// # Errors
/// When the document is not one.
pub(crate) fn page(document: &str, template: &str) -> Result<String> {
    let document: Value = serde_json::from_str(document)?;
    let operations = operations(&document);
    let schemas = document["components"]["schemas"].as_object();
    let (mut list, mut parts, mut group) = (String::new(), String::new(), "");
    for operation in &operations {
        if operation.group != group {
            group = operation.group;
            let name = group.replace('_', " ");
            write!(list, "<li class=\"group\">{name}</li>")?;
            write!(parts, "<h2 id=\"group-{group}\">{name}</h2>")?;
        }
        let summary = text(&operation.node["summary"]);
        let Operation {
            id, method, path, ..
        } = operation;
        write!(
            list,
            "<li><a href=\"#{id}\">{summary}</a> <small>{method} {path}</small></li>"
        )?;
        section(&mut parts, operation)?;
    }
    let mut objects = String::new();
    for (name, schema) in schemas.into_iter().flatten() {
        object(&mut objects, name, schema)?;
    }
    Ok(template
        .replace("{{count}}", &operations.len().to_string())
        .replace("{{list}}", &list)
        .replace("{{operations}}", &parts)
        .replace("{{objects}}", &objects))
}

/// All operations that programs call, by group and address.
fn operations(document: &Value) -> Vec<Operation<'_>> {
    let mut found = Vec::new();
    for (path, item) in document["paths"].as_object().into_iter().flatten() {
        for method in METHODS {
            let Some(node) = item.get(method) else {
                continue;
            };
            let group = node["tags"][0].as_str().unwrap_or_default();
            if group != PAGES {
                let id = node["operationId"].as_str().unwrap_or_default();
                let method = method.to_uppercase();
                found.push(Operation {
                    id,
                    group,
                    method,
                    path,
                    node,
                });
            }
        }
    }
    found.sort_by_key(|one| (one.group, one.path));
    found
}

fn section(page: &mut String, operation: &Operation<'_>) -> Result<()> {
    let Operation {
        id,
        method,
        path,
        node,
        ..
    } = operation;
    write!(
        page,
        "<section class=\"operation\" id=\"{id}\"><h3><a href=\"#{id}\">{}</a></h3>\
         <p class=\"call\"><b>{method}</b> <code>{path}</code></p>",
        text(&node["summary"])
    )?;
    if node["description"].is_string() {
        write!(page, "<p>{}</p>", prose(&node["description"]))?;
    }
    let access = match node["security"].as_array() {
        Some(ways) if ways.is_empty() => "Needs no account.",
        Some(ways)
            if ways
                .iter()
                .any(|way| way.as_object().is_some_and(Map::is_empty)) =>
        {
            "Works with and without an account."
        }
        _ => "Needs an account.",
    };
    write!(page, "<p class=\"access\">{access}</p>")?;
    parameters(page, node)?;
    calls(page, operation)?;
    answer(page, node)?;
    errors(page, node)?;
    page.push_str("</section>\n");
    Ok(())
}

/// The name and media type of the only body.
fn body(node: &Value) -> Option<(&String, &Value)> {
    node["requestBody"]["content"].as_object()?.iter().next()
}

fn parameters(page: &mut String, node: &Value) -> Result<()> {
    let mut rows = String::new();
    for parameter in node["parameters"].as_array().into_iter().flatten() {
        let place = parameter["in"].as_str().unwrap_or_default();
        let (name, schema) = (text(&parameter["name"]), &parameter["schema"]);
        let is_required = parameter["required"] == true;
        row(
            &mut rows,
            &name,
            place,
            schema,
            parameter,
            &parameter["example"],
            is_required,
        )?;
    }
    if let Some((kind, media)) = body(node) {
        let schema = &media["schema"];
        let place = match kind.as_str() {
            FORM | "multipart/form-data" => "form",
            other => other,
        };
        if schema["properties"].is_object() {
            fields(&mut rows, schema, place)?;
        } else {
            row(
                &mut rows,
                "body",
                place,
                schema,
                schema,
                &schema["examples"][0],
                true,
            )?;
        }
    }
    if !rows.is_empty() {
        write!(
            page,
            "<h4>Parameters</h4>{}<tbody>{rows}</tbody></table></div>",
            head("Parameters")
        )?;
    }
    Ok(())
}

fn head(label: &str) -> String {
    format!(
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{label}\"><table>\
         <thead><tr><th scope=\"col\">Name</th><th scope=\"col\">Type</th>\
         <th scope=\"col\">Meaning</th></tr></thead>"
    )
}

/// A row for each field of an object.
fn fields(rows: &mut String, schema: &Value, place: &str) -> Result<()> {
    let required = schema["required"].as_array();
    for (name, field) in schema["properties"].as_object().into_iter().flatten() {
        let is_required = required.is_some_and(|all| all.iter().any(|one| one == name));
        row(
            rows,
            name,
            place,
            field,
            field,
            &field["examples"][0],
            is_required,
        )?;
    }
    Ok(())
}

/// `place`: where a parameter is; empty for a field of an answer.
fn row(
    rows: &mut String,
    name: &str,
    place: &str,
    schema: &Value,
    described: &Value,
    example: &Value,
    is_required: bool,
) -> Result<()> {
    let mut notes: Vec<&str> = Vec::new();
    if !place.is_empty() && place != "form" {
        notes.push(place);
    }
    match (place.is_empty(), is_required) {
        (false, true) => notes.push("required"),
        (true, false) => notes.push("optional"),
        _ => {}
    }
    if schema["deprecated"] == true {
        notes.push("deprecated");
    }
    write!(
        rows,
        "<tr><td><code>{name}</code> <small>{}</small></td><td>{}</td><td>{}",
        notes.join(", "),
        type_of(schema),
        prose(&described["description"])
    )?;
    let example = match example {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    if !example.is_empty() {
        write!(
            rows,
            " <span class=\"example\">Example: <code>{}</code></span>",
            escaped(&example)
        )?;
    }
    rows.push_str("</td></tr>");
    Ok(())
}

fn calls(page: &mut String, operation: &Operation<'_>) -> Result<()> {
    page.push_str("<h4>Calls</h4>");
    let call = calls::Call::of(operation);
    let languages = [
        ("curl", call.curl()),
        ("Python", call.python()),
        ("JavaScript", call.javascript()),
    ];
    for (number, (language, code)) in languages.into_iter().enumerate() {
        let open = if number == 0 { " open" } else { "" };
        write!(
            page,
            "<details name=\"{}\"{open}><summary><b>{language}</b></summary><figure class=\"code\">\
             <figcaption>{language} <button class=\"copy\" type=\"button\" hidden>Copy</button></figcaption>\
             <pre tabindex=\"0\" aria-label=\"{language}\"><code>{}</code></pre></figure></details>",
            operation.id,
            escaped(&code)
        )?;
    }
    Ok(())
}

fn answer(page: &mut String, node: &Value) -> Result<()> {
    let content = node["responses"]["200"]["content"].as_object();
    let Some((kind, media)) = content.and_then(|content| content.iter().next()) else {
        return Ok(());
    };
    page.push_str("<h4>Answer</h4>");
    if kind != JSON {
        write!(page, "<p>A body of type <code>{kind}</code>.</p>")?;
        return Ok(());
    }
    let mut schema = media["schema"].clone();
    without_envelope(&mut schema);
    table(page, "Answer", &schema)?;
    let example = serde_json::to_string_pretty(&media["example"])?;
    write!(
        page,
        "<details><summary><b>Example</b></summary><figure class=\"code\"><pre tabindex=\"0\" \
         aria-label=\"Example\"><code>{}</code></pre></figure></details>",
        escaped(&example)
    )?;
    Ok(())
}

/// Leaves out the fields of all answers, which the beginning of the page explains.
fn without_envelope(schema: &mut Value) {
    if let Some(forms) = schema.get_mut("oneOf").and_then(Value::as_array_mut) {
        forms.iter_mut().for_each(without_envelope);
    }
    if let Some(fields) = schema.get_mut("properties").and_then(Value::as_object_mut) {
        fields.retain(|name, _| !ENVELOPE.contains(&name.as_str()));
        if fields.is_empty() {
            *schema = Value::Null;
        }
    }
}

/// The fields of an object, or of each of its forms.
fn table(page: &mut String, label: &str, schema: &Value) -> Result<()> {
    if let Some(forms) = schema["oneOf"].as_array() {
        for (number, form) in forms.iter().enumerate() {
            write!(
                page,
                "<p>Form {}. {}</p>",
                number + 1,
                prose(&form["description"])
            )?;
            table(page, label, form)?;
        }
        return Ok(());
    }
    let mut rows = String::new();
    fields(&mut rows, schema, "")?;
    if schema.is_null() {
        page.push_str("<p>Only that it has succeeded.</p>");
    } else if rows.is_empty() {
        write!(page, "<p>{}</p>", type_of(schema))?;
    } else {
        write!(page, "{}<tbody>{rows}</tbody></table></div>", head(label))?;
    }
    Ok(())
}

fn errors(page: &mut String, node: &Value) -> Result<()> {
    let mut lines = String::new();
    for (status, response) in node["responses"].as_object().into_iter().flatten() {
        if status.starts_with('2') {
            if response.get("content").is_none() {
                write!(
                    lines,
                    "<li><code>{status}</code> {}</li>",
                    prose(&response["description"])
                )?;
            }
            continue;
        }
        let schema = &response["content"][JSON]["schema"];
        write!(lines, "<li><code>{status}</code> {}</li>", type_of(schema))?;
    }
    write!(
        page,
        "<details><summary><b>Errors</b></summary><ul class=\"errors\">{lines}</ul></details>"
    )?;
    Ok(())
}

fn object(page: &mut String, name: &str, schema: &Value) -> Result<()> {
    write!(
        page,
        "<section class=\"operation\" id=\"{name}\"><h3><a href=\"#{name}\">{name}</a></h3>"
    )?;
    if schema["description"].is_string() {
        write!(page, "<p>{}</p>", prose(&schema["description"]))?;
    }
    table(page, name, schema)?;
    page.push_str("</section>\n");
    Ok(())
}
