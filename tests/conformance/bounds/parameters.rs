//! Every string and list parameter of the OpenAPI document has a maximum, and a request one above
//! it is refused; where texts are cut instead, the document says so. Each operation that creates an
//! object names its quota.

use serde_json::{Value, json};
use spindle_tests::openapi::{Operation, contract};
use spindle_tests::{Call, Client, Options, Reply, Server, User};

/// A parameter with its maximum.
pub(super) struct Bounded {
    pub(super) operation: Operation,
    pub(super) name: String,
    pub(super) is_in_path: bool,
    is_in_query: bool,
    pub(super) is_json: bool,
    pub(super) schema: Value,
}

/// A schema with its references resolved.
pub(super) fn resolved(schema: &Value) -> Value {
    let Some(reference) = schema["$ref"].as_str() else {
        return schema.clone();
    };
    let target = contract().document().pointer(&reference[1..]);
    let mut target = target.expect("a schema").clone();
    let own = schema.as_object().expect("an object");
    for (key, value) in own.iter().filter(|(key, _)| *key != "$ref") {
        target[key] = value.clone();
    }
    target
}

pub(super) fn is(schema: &Value, kind: &str) -> bool {
    let kinds = &schema["type"];
    kinds == kind
        || kinds
            .as_array()
            .is_some_and(|kinds| kinds.iter().any(|one| one == kind))
}

/// The variants of a schema; the schema itself when it has none.
pub(super) fn variants(schema: &Value) -> Vec<Value> {
    let schema = resolved(schema);
    match schema["oneOf"].as_array() {
        Some(variants) => variants.iter().map(resolved).collect(),
        None => vec![schema],
    }
}

pub(super) fn parameters() -> Vec<Bounded> {
    let mut all = Vec::new();
    for operation in contract().operations() {
        let path = format!("/api/v1{}", operation.path);
        let paths = &contract().document()["paths"];
        let item = paths
            .get(&path)
            .or_else(|| paths.get(&operation.path))
            .expect("path");
        let described = &item[operation.method.to_lowercase()];
        for listed in described["parameters"].as_array().unwrap_or(&Vec::new()) {
            let content = &listed["content"]["application/json"]["schema"];
            all.push(Bounded {
                operation: operation.clone(),
                name: listed["name"].as_str().expect("name").to_owned(),
                is_in_path: listed["in"] == "path",
                is_in_query: listed["in"] == "query",
                is_json: content.is_object(),
                schema: if content.is_object() {
                    content.clone()
                } else {
                    listed["schema"].clone()
                },
            });
        }
        let media = &described["requestBody"]["content"]["application/x-www-form-urlencoded"];
        for (name, schema) in media["schema"]["properties"]
            .as_object()
            .into_iter()
            .flatten()
        {
            all.push(Bounded {
                operation: operation.clone(),
                name: name.clone(),
                is_in_path: false,
                is_in_query: false,
                is_json: media["encoding"].get(name).is_some(),
                schema: schema.clone(),
            });
        }
    }
    all
}

#[test]
fn strings_and_lists_have_a_maximum_and_creating_operations_a_quota() {
    let known = include_str!("../../../docs/LIMITS.md");
    for parameter in parameters() {
        for schema in variants(&parameter.schema) {
            let bounds = |keys: &[&str]| {
                let keys = keys.iter().chain(&["enum", "const", "x-cut-at", "x-bound"]);
                keys.into_iter().any(|key| schema.get(key).is_some())
            };
            let place = format!("{} {}: {schema}", parameter.operation.id, parameter.name);
            assert!(!is(&schema, "string") || bounds(&["maxLength"]), "{place}");
            assert!(!is(&schema, "array") || bounds(&["maxItems"]), "{place}");
        }
    }
    for operation in contract().operations() {
        let path = format!("/api/v1{}", operation.path);
        let paths = &contract().document()["paths"];
        let item = paths
            .get(&path)
            .or_else(|| paths.get(&operation.path))
            .expect("path");
        let quota = &item[operation.method.to_lowercase()]["x-quota"];
        let names = quota.as_array().cloned().unwrap_or_default();
        let makes = matches!(operation.method.as_str(), "POST" | "PUT" | "PATCH");
        assert!(
            !makes || !names.is_empty(),
            "{} names no quota",
            operation.id
        );
        for name in names {
            let row = format!("\n| {} |", name.as_str().expect("a name"));
            assert!(
                known.contains(&row),
                "{}: docs/LIMITS.md has no {name}",
                operation.id
            );
        }
    }
}

/// A value one above the maximum of a schema, encoded as a parameter; and the maximum.
fn one_more(parameter: &Bounded, schema: &Value) -> Option<(String, i64)> {
    let longest = |key: &str| schema[key].as_i64();
    if is(schema, "array") {
        let most = longest("maxItems")?;
        let item = variants(&schema["items"]).first().map_or(json!(1), example);
        let list = vec![item; usize::try_from(most).ok()? + 1];
        return Some((json!(list).to_string(), most));
    }
    if is(schema, "object") {
        let most = longest("maxProperties")?;
        let entry = example(&resolved(&schema["additionalProperties"]));
        let entries = (0..=most).map(|number| (number.to_string(), entry.clone()));
        return Some((Value::Object(entries.collect()).to_string(), most));
    }
    let most = longest("maxLength")?;
    let text = "a".repeat(usize::try_from(most).ok()? + 1);
    let text = if parameter.is_json {
        json!(text).to_string()
    } else {
        text
    };
    Some((text, most))
}

/// A value that fits a schema.
fn example(schema: &Value) -> Value {
    let schema = resolved(schema);
    if let Some(first) = schema["enum"].get(0) {
        return first.clone();
    }
    if let Some(first) = schema["oneOf"].get(0) {
        return example(first);
    }
    if let Some(properties) = schema["properties"].as_object() {
        let examples = properties
            .iter()
            .map(|(name, one)| (name.clone(), example(one)));
        return Value::Object(examples.collect());
    }
    match schema["type"].as_str() {
        Some("integer") => json!(1),
        Some("boolean") => json!(true),
        Some("array") => json!([]),
        Some("object") => json!({}),
        _ => json!("x"),
    }
}

/// Values for the placeholders in paths and parameters.
pub(super) struct Stage {
    pub(super) owner: User,
    /// Whom the owner deactivates.
    leaver: User,
    bot: Client,
    message: String,
}

impl Stage {
    pub(super) fn new(server: &Server) -> Self {
        let owner = server.user("owner");
        let to = format!("[{}]", owner.user_id);
        let pairs = [
            ("type", "direct"),
            ("to", to.as_str()),
            ("content", "/poll x"),
        ];
        let message = owner.post("/messages", &pairs).ok()["id"].to_string();
        Self {
            owner,
            leaver: server.user("member"),
            bot: server.bot().client.clone(),
            message,
        }
    }

    /// A value for a parameter that is required together with the one that is too long.
    fn value(&self, name: &str, schema: &Value) -> String {
        match name {
            "message_id" => self.message.clone(),
            "user_id" | "user_id_or_email" => self.owner.id(),
            "scheduled_delivery_timestamp" => "4000000000".to_owned(),
            "type" => "direct".to_owned(),
            "to" => format!("[{}]", self.owner.user_id),
            "email" => self.owner.email.clone(),
            _ => match example(schema) {
                Value::String(text) => text,
                other => other.to_string(),
            },
        }
    }

    pub(super) fn call(&self, all: &[Bounded], long: &Bounded, text: &str) -> Reply {
        let beside = all.iter().filter(|one| one.operation == long.operation);
        let required = |one: &&Bounded| one.is_in_path || needed(one);
        let mut path = long.operation.path.clone();
        let mut pairs = vec![(long.name.clone(), text.to_owned())];
        for one in beside.filter(required).filter(|one| one.name != long.name) {
            let value = match (&*long.operation.id, &*one.name) {
                ("deactivate-user", "user_id") => self.leaver.id(),
                _ => self.value(&one.name, &one.schema),
            };
            if one.is_in_path {
                path = path.replace(&format!("{{{}}}", one.name), &value);
            } else {
                pairs.push((one.name.clone(), value));
            }
        }
        let pairs: Vec<(&str, &str)> = pairs.iter().map(|(k, v)| (&**k, &**v)).collect();
        let call = Call::new(&long.operation.method, &path);
        let call = match long.is_in_query {
            true => call.query(&pairs),
            false => call.form(&pairs),
        };
        let call = match long.operation.path.as_str() {
            // Only requests of browsers reach the checks of its parameters.
            "/sessions" => call.header("Spindle-Client", "test"),
            path if path.starts_with("/accounts/") => call.at_root(),
            _ => call,
        };
        let is_of_bots = long.operation.path == "/bot_storage";
        let client: &Client = if is_of_bots {
            &self.bot
        } else {
            &self.owner.client
        };
        client.send(call)
    }
}

/// Whether an operation requires a parameter.
fn needed(parameter: &Bounded) -> bool {
    let operation = &parameter.operation;
    let path = format!("/api/v1{}", operation.path);
    let described = &contract().document()["paths"][&path][operation.method.to_lowercase()];
    let media = &described["requestBody"]["content"]["application/x-www-form-urlencoded"];
    let in_form = media["schema"]["required"].as_array();
    let listed = described["parameters"].as_array().into_iter().flatten();
    let mut in_query = listed.filter(|one| one["name"] == parameter.name.as_str());
    in_form.is_some_and(|names| names.iter().any(|name| name == parameter.name.as_str()))
        || in_query.any(|one| one["required"] == true)
}

#[test]
fn one_more_than_the_maximum_is_refused() {
    let server = Server::own(Options::default());
    let stage = Stage::new(&server);
    let all = parameters();
    let (mut tried, mut named, mut wrong) = (0, 0, Vec::new());
    for parameter in all.iter().filter(|one| !one.is_in_path) {
        for schema in variants(&parameter.schema) {
            let Some((text, most)) = one_more(parameter, &schema) else {
                continue;
            };
            // The size of the head is limited before its parameters are read.
            // So is the size of the body.
            let most_bytes = if parameter.is_in_query { 7000 } else { 1 << 20 };
            if text.len() > most_bytes {
                continue;
            }
            let reply = stage.call(&all, parameter, &text);
            tried += 1;
            let said = reply.body.to_string();
            // Some operations report another error before they check the length.
            named += u32::from(said.contains(&most.to_string()));
            // It is read only together with a new password.
            let means_nothing = parameter.name == "old_password";
            if !(400..500).contains(&reply.status) && !means_nothing {
                let said: String = said.chars().take(200).collect();
                let place = format!("{} {}", parameter.operation.id, parameter.name);
                wrong.push(format!("{place} ({most}): {} {said}", reply.status));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {tried}:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    assert!(named > 100, "{named} of {tried} name the maximum");
}
