//! Expands an operation file into an OpenAPI operation object.

use crate::Result;
use crate::schema::Schemas;
use crate::settings::{self, Changed};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// An operation as written in its file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Operation {
    pub(crate) path: String,
    pub(crate) method: String,
    summary: String,
    description: Option<String>,
    auth: Auth,
    /// Whether it counts against the rate limit.
    #[serde(default = "yes")]
    limited: bool,
    #[serde(default)]
    parameters: BTreeMap<String, Parameter>,
    /// Optional parameters that the example of a call has.
    #[serde(default)]
    shown: BTreeSet<String>,
    /// Schemas of the body by content type, where it is not only a form.
    #[serde(default)]
    body: BTreeMap<String, Value>,
    /// The settings that further parameters change.
    settings: Option<Changed>,
    /// The limits on the objects that it creates: names of docs/LIMITS.md.
    #[serde(default)]
    quota: BTreeSet<String>,
    /// Fields of the envelope, or the schema of an answer that is none; null: never status 200.
    success: Value,
    /// Statuses of success without a body, where a protocol demands them: 201, 204.
    #[serde(default)]
    also: BTreeMap<String, String>,
    /// Type of an answer that is no envelope.
    content_type: Option<String>,
    #[serde(default)]
    errors: BTreeMap<String, BTreeSet<String>>,
}

#[derive(Deserialize, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum Auth {
    None,
    Optional,
    Required,
}

#[derive(Deserialize)]
struct Parameter {
    #[serde(rename = "in")]
    place: Option<String>,
    #[serde(default)]
    required: bool,
    /// Whether the value travels as JSON text.
    #[serde(default)]
    json: bool,
    description: Option<String>,
    #[serde(flatten)]
    schema: Map<String, Value>,
}

fn yes() -> bool {
    true
}

pub(crate) fn read(file: Value) -> Result<Operation> {
    let mut operation: Operation = serde_json::from_value(file)?;
    for (name, parameter) in operation
        .settings
        .map(settings::parameters)
        .unwrap_or_default()
    {
        let parameter = serde_json::from_value(parameter)?;
        let there = operation.parameters.insert(name.to_owned(), parameter);
        if there.is_some() {
            return Err(format!("parameter {name} comes from the table of settings").into());
        }
    }
    Ok(operation)
}

impl Operation {
    pub(crate) fn expand(&self, id: &str, group: &str, schemas: &Schemas) -> Result<Value> {
        let mut operation = Map::new();
        operation.insert("operationId".to_owned(), json!(id));
        operation.insert("tags".to_owned(), json!([group]));
        operation.insert("summary".to_owned(), json!(self.summary));
        if let Some(description) = &self.description {
            operation.insert("description".to_owned(), json!(description));
        }
        let security = match self.auth {
            Auth::None => json!([]),
            Auth::Optional => json!([{}, { "basicAuth": [] }, { "sessionCookie": [] }]),
            Auth::Required => json!([{ "basicAuth": [] }, { "sessionCookie": [] }]),
        };
        operation.insert("security".to_owned(), security);
        if !self.quota.is_empty() {
            operation.insert("x-quota".to_owned(), json!(self.quota));
        }
        if !self.shown.is_empty() {
            operation.insert("x-shown".to_owned(), json!(self.shown));
        }
        self.add_parameters(&mut operation, schemas)?;
        operation.insert("responses".to_owned(), self.responses(schemas)?);
        Ok(Value::Object(operation))
    }

    fn add_parameters(&self, operation: &mut Map<String, Value>, schemas: &Schemas) -> Result<()> {
        let mut listed = Vec::new();
        let mut form = Map::new();
        let mut required = Vec::new();
        let mut encoding = Map::new();
        for (name, parameter) in &self.parameters {
            let mut schema = schemas.expand(&Value::Object(parameter.schema.clone()))?;
            schemas.bound(&mut schema)?;
            let place = parameter
                .place
                .as_deref()
                .unwrap_or(match self.method.as_str() {
                    "get" => "query",
                    _ => "form",
                });
            if place != "form" {
                listed.push(listed_parameter(name, place, parameter, schema));
                continue;
            }
            form.insert(name.clone(), schema);
            if parameter.required {
                required.push(name);
            }
            if parameter.json {
                encoding.insert(name.clone(), json!({ "contentType": "application/json" }));
            }
        }
        if !listed.is_empty() {
            operation.insert("parameters".to_owned(), json!(listed));
        }
        let mut content = Map::new();
        if !form.is_empty() {
            let mut media = json!({
                "schema": { "type": "object", "properties": form, "required": required }
            });
            if !encoding.is_empty() {
                crate::merge(&mut media, "encoding", Value::Object(encoding))?;
            }
            for name in ["application/x-www-form-urlencoded", "multipart/form-data"] {
                content.insert(name.to_owned(), media.clone());
            }
        }
        for (name, body) in &self.body {
            add_body(&mut content, name, schemas.expand(body)?);
        }
        if !content.is_empty() {
            let is_required = !required.is_empty() || !self.body.is_empty();
            let body = json!({ "required": is_required, "content": content });
            operation.insert("requestBody".to_owned(), body);
        }
        Ok(())
    }

    fn responses(&self, schemas: &Schemas) -> Result<Value> {
        let mut responses = Map::new();
        if !self.success.is_null() {
            responses.insert("200".to_owned(), self.success_response(schemas)?);
        }
        for (status, description) in &self.also {
            let response = self.with_headers(json!({ "description": description }));
            responses.insert(status.clone(), response);
        }
        for (status, names) in self.all_errors() {
            let mut schemas_of_status = Vec::new();
            for name in names {
                schemas_of_status.push(schemas.reference(&name)?);
            }
            let schema = match <[Value; 1]>::try_from(schemas_of_status) {
                Ok([only]) => only,
                Err(several) => json!({ "oneOf": several }),
            };
            let response = json!({
                "description": "Error",
                "content": { "application/json": { "schema": schema } },
            });
            responses.insert(status, self.with_headers(response));
        }
        Ok(Value::Object(responses))
    }

    fn success_response(&self, schemas: &Schemas) -> Result<Value> {
        let (content_type, schema) = match &self.content_type {
            Some(content_type) => (content_type.as_str(), schemas.expand(&self.success)?),
            None => (
                "application/json",
                schemas.expand(&enveloped(&self.success)?)?,
            ),
        };
        let response = json!({
            "description": "Success",
            "content": { content_type: { "schema": schema } },
        });
        Ok(self.with_headers(response))
    }

    fn with_headers(&self, mut response: Value) -> Value {
        if let (true, Some(response)) = (self.limited, response.as_object_mut()) {
            let names = [
                "X-RateLimit-Limit",
                "X-RateLimit-Remaining",
                "X-RateLimit-Reset",
            ];
            let headers: Map<String, Value> = names
                .into_iter()
                .map(|name| (name.to_owned(), json!({ "schema": { "type": "integer" } })))
                .collect();
            response.insert("headers".to_owned(), Value::Object(headers));
        }
        response
    }

    /// The errors of the file, and the ones common to every operation of its kind.
    fn all_errors(&self) -> BTreeMap<String, BTreeSet<String>> {
        let mut errors = self.errors.clone();
        let mut add = |status: &str, name: &str| {
            errors
                .entry(status.to_owned())
                .or_default()
                .insert(name.to_owned());
        };
        add("400", "BadRequestError");
        add("413", "BadRequestError");
        add("500", "InternalServerError");
        // Too many concurrent requests have no code of their own.
        add("503", "InternalServerError");
        add("503", "StorageFullError");
        // It has taken longer than the server allows, and may be made or not.
        add("504", "InternalServerError");
        if self.auth != Auth::None {
            add("401", "UnauthorizedError");
            add("401", "SecondFactorRequiredError");
            add("400", "InsufficientScopeError");
        }
        if self.limited {
            add("429", "RateLimitHitError");
        }
        let demands_one = self
            .parameters
            .values()
            .any(|parameter| parameter.required && parameter.place.is_none());
        if demands_one {
            add("400", "RequestVariableMissingError");
        }
        errors
    }
}

/// Adds a body, or its fields to the form that has this content type already.
fn add_body(content: &mut Map<String, Value>, name: &str, schema: Value) {
    let Some(form) = content
        .get_mut(name)
        .and_then(|media| media.get_mut("schema"))
    else {
        content.insert(name.to_owned(), json!({ "schema": schema }));
        return;
    };
    if let (Some(own), Value::Object(more)) =
        (form["properties"].as_object_mut(), &schema["properties"])
    {
        own.extend(more.clone());
    }
    if let (Some(own), Value::Array(more)) = (form["required"].as_array_mut(), &schema["required"])
    {
        own.extend(more.clone());
    }
}

fn listed_parameter(name: &str, place: &str, parameter: &Parameter, schema: Value) -> Value {
    let mut listed = json!({
        "name": name,
        "in": place,
        "required": parameter.required || place == "path",
    });
    if let Some(object) = listed.as_object_mut() {
        if let Some(description) = &parameter.description {
            object.insert("description".to_owned(), json!(description));
        }
        if parameter.json {
            let content = json!({ "application/json": { "schema": schema } });
            object.insert("content".to_owned(), content);
        } else {
            object.insert("schema".to_owned(), schema);
        }
    }
    listed
}

/// Adds the envelope to an object, or to each variant of one.
fn enveloped(success: &Value) -> Result<Value> {
    let mut success = success.clone();
    let object = success
        .as_object_mut()
        .ok_or("success: expected a schema")?;
    if let Some(Value::Array(variants)) = object.get_mut("oneOf") {
        for variant in variants {
            *variant = enveloped(variant)?;
        }
        return Ok(success);
    }
    let include = object.entry("include").or_insert_with(|| json!([]));
    include
        .as_array_mut()
        .ok_or("include: expected a list of names")?
        .push(json!("Envelope"));
    Ok(success)
}
