//! What a template can read.

use minijinja::Value;
use serde_json::Value as Json;

/// Parts of the names of headers that may prove who sent a delivery, or come from this server.
const SECRET: &[&str] = &[
    "api-key",
    "apikey",
    "authorization",
    "cookie",
    "password",
    "secret",
    "signature",
    "spindle-",
    "token",
];

/// The headers whose values are no secrets, by their names in lower case.
pub(super) fn of_headers(headers: &[(String, String)]) -> Value {
    let shown = headers
        .iter()
        .map(|(name, value)| (name.to_ascii_lowercase(), value));
    let shown = shown.filter(|(name, _)| !SECRET.iter().any(|secret| name.contains(secret)));
    Value::from_pairs(shown.map(|(name, value)| (Value::from(name), Value::from(value))))
}

/// JSON as a value of templates. Bodies nest at most as deep as the reader of JSON allows.
pub(super) fn of_json(json: &Json) -> Value {
    match json {
        Json::Null => Value::from(()),
        Json::Bool(value) => Value::from(*value),
        Json::Number(number) => match (number.as_i64(), number.as_u64()) {
            (Some(number), _) => Value::from(number),
            (None, Some(number)) => Value::from(number),
            (None, None) => Value::from(number.as_f64().unwrap_or_default()),
        },
        Json::String(text) => Value::from(text),
        Json::Array(list) => Value::from(list.iter().map(of_json).collect::<Vec<_>>()),
        Json::Object(fields) => Value::from_pairs(
            fields
                .iter()
                .map(|(name, value)| (Value::from(name), of_json(value))),
        ),
    }
}
