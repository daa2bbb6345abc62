//! The contract: finds the operation of a request in the OpenAPI document and checks an answer
//! against the schema of its status. An undocumented operation or status is a failure.
//!
//! Owns schema lookup and compilation (cached for the process). Does not know HTTP clients;
//! the self-test in `conformance/contract.rs` shows that mutated answers are refused.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use jsonschema::Validator;
use serde_json::{Value, json};

const METHODS: [&str; 7] = ["get", "post", "put", "patch", "delete", "head", "options"];

/// One operation of the document.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Operation {
    /// Upper-case verb.
    pub method: String,
    /// Path below the version prefix, with parameters in braces.
    pub path: String,
    /// `operationId`.
    pub id: String,
}

/// The document and the validators compiled from it so far.
pub struct Contract {
    document: Value,
    validators: Mutex<HashMap<String, Arc<Validator>>>,
}

/// The contract of this build, parsed once.
pub fn contract() -> &'static Contract {
    static CONTRACT: OnceLock<Contract> = OnceLock::new();
    CONTRACT.get_or_init(|| Contract {
        document: serde_json::from_str(spindle_openapi::DOCUMENT).expect("the document is JSON"),
        validators: Mutex::new(HashMap::new()),
    })
}

impl Contract {
    /// The whole document.
    pub fn document(&self) -> &Value {
        &self.document
    }

    /// Every operation of the document, sorted.
    pub fn operations(&self) -> Vec<Operation> {
        let mut operations = Vec::new();
        for (path, item) in self.document["paths"].as_object().expect("paths") {
            for method in METHODS {
                if let Some(operation) = item.get(method) {
                    operations.push(Operation {
                        method: method.to_uppercase(),
                        path: strip_prefix(path).to_owned(),
                        id: operation["operationId"].as_str().unwrap_or("").to_owned(),
                    });
                }
            }
        }
        operations.sort();
        operations
    }

    /// Checks an answer. `path` is the request's path without query; `body` the parsed JSON, or
    /// `None` when the answer has none. An error is a text that says what is wrong.
    pub fn check(
        &self,
        method: &str,
        path: &str,
        status: u16,
        content_type: &str,
        body: Option<&Value>,
    ) -> Result<(), String> {
        let template = self
            .find(method, path)
            .ok_or_else(|| format!("{method} {path} is not in the OpenAPI document"))?;
        let media = content_type.split(';').next().unwrap_or("").trim();
        let pointer = self.response_schema(&template, method, status, media)?;
        match (pointer, body) {
            (None, None) => Ok(()),
            (None, Some(_)) => Ok(()),
            (Some(_), None) => Err(format!("{method} {template} {status}: no JSON body")),
            (Some(pointer), Some(body)) => self
                .check_at(&pointer, body)
                .map_err(|error| format!("{method} {template} {status}: {error}")),
        }
    }

    /// Checks a value against the schema at a JSON pointer of the document.
    pub fn check_at(&self, pointer: &str, value: &Value) -> Result<(), String> {
        let validator = self.validator(pointer);
        let errors: Vec<String> = validator
            .iter_errors(value)
            .take(5)
            .map(|error| format!("{error} at {}", error.instance_path()))
            .collect();
        if errors.is_empty() {
            Ok(())
        } else {
            Err(format!("{}\nin {value}", errors.join("; ")))
        }
    }

    /// The template that serves a path: exact segments beat parameters.
    fn find(&self, method: &str, path: &str) -> Option<String> {
        let wanted: Vec<&str> = strip_prefix(path).split('/').collect();
        let mut best: Option<(usize, String)> = None;
        for (template, item) in self.document["paths"].as_object()? {
            let parts: Vec<&str> = strip_prefix(template).split('/').collect();
            let fits = parts.len() == wanted.len()
                && parts.iter().zip(&wanted).all(|(part, word)| {
                    part == word || (part.starts_with('{') && !word.is_empty())
                });
            if fits && item.get(method.to_lowercase()).is_some() {
                let exact = parts.iter().filter(|part| !part.starts_with('{')).count();
                if best.as_ref().is_none_or(|(most, _)| exact > *most) {
                    best = Some((exact, template.clone()));
                }
            }
        }
        best.map(|(_, template)| template)
    }

    /// Pointer to the schema of one answer; `None` when the answer is documented without JSON.
    fn response_schema(
        &self,
        template: &str,
        method: &str,
        status: u16,
        media: &str,
    ) -> Result<Option<String>, String> {
        let base = format!(
            "/paths/{}/{}/responses/{status}",
            escape(template),
            method.to_lowercase()
        );
        let mut pointer = base;
        let mut response = self
            .document
            .pointer(&pointer)
            .ok_or_else(|| format!("{method} {template}: status {status} is not documented"))?;
        while let Some(reference) = response.get("$ref").and_then(Value::as_str) {
            pointer = reference.trim_start_matches('#').to_owned();
            response = self
                .document
                .pointer(&pointer)
                .ok_or_else(|| format!("{reference} leads nowhere"))?;
        }
        let Some(content) = response.get("content") else {
            return Ok(None);
        };
        let entry = content.get(media).ok_or_else(|| {
            format!("{method} {template} {status}: content type {media:?} is not documented")
        })?;
        Ok(entry
            .get("schema")
            .filter(|_| media == "application/json")
            .map(|_| format!("{pointer}/content/{}/schema", escape(media))))
    }

    fn validator(&self, pointer: &str) -> Arc<Validator> {
        let mut validators = self
            .validators
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = validators.get(pointer) {
            return Arc::clone(found);
        }
        let root = self.cut_out(pointer);
        let validator = Arc::new(
            jsonschema::options()
                .build(&root)
                .unwrap_or_else(|error| panic!("schema at {pointer}: {error}")),
        );
        validators.insert(pointer.to_owned(), Arc::clone(&validator));
        validator
    }

    /// A document of the schema at `pointer` and of the schemas that it refers to: a validator
    /// keeps the whole document that it is compiled from.
    fn cut_out(&self, pointer: &str) -> Value {
        // Braces of path templates are not allowed in a URI fragment.
        let fragment = pointer.replace('{', "%7B").replace('}', "%7D");
        let mut root = json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "$ref": format!("#{fragment}"),
        });
        let mut due = vec![pointer.to_owned()];
        let mut seen = HashSet::new();
        while let Some(pointer) = due.pop() {
            if !seen.insert(pointer.clone()) {
                continue;
            }
            let schema = self.document.pointer(&pointer);
            let schema = schema.unwrap_or_else(|| panic!("{pointer} leads nowhere"));
            references(schema, &mut due);
            let mut place = &mut root;
            for token in pointer.split('/').skip(1) {
                place = &mut place[token.replace("~1", "/").replace("~0", "~")];
            }
            *place = schema.clone();
        }
        root
    }
}

/// Adds the pointers that a schema refers to.
fn references(schema: &Value, found: &mut Vec<String>) {
    match schema {
        Value::Object(fields) => {
            for (name, value) in fields {
                match value.as_str().and_then(|text| text.strip_prefix('#')) {
                    Some(pointer) if name == "$ref" => found.push(pointer.to_owned()),
                    _ => references(value, found),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| references(item, found)),
        _ => {}
    }
}

fn strip_prefix(path: &str) -> &str {
    path.strip_prefix("/api/v1").unwrap_or(path)
}

fn escape(token: &str) -> String {
    token.replace('~', "~0").replace('/', "~1")
}
