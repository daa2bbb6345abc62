//! Calls for the tests of integrations.

use serde_json::Value;

use crate::{Call, Integration, Message, Outcome};

/// What becomes of a call with these headers, whose names are in lower case.
pub(crate) fn outcome(
    integration: &Integration,
    headers: &[(&str, &str)],
    body: &Value,
) -> Outcome {
    (integration.read)(&Call {
        header: &|name| {
            headers
                .iter()
                .find(|(known, _)| *known == name)
                .map(|(_, value)| *value)
        },
        body,
        option: &|_| None,
    })
}

/// The message of such a call. No text in the body may mention anyone.
#[track_caller]
pub(crate) fn message(
    integration: &Integration,
    headers: &[(&str, &str)],
    body: &Value,
) -> Message {
    let mut changed = body.clone();
    for path in paths(body) {
        for hostile in ["@**all** `@**all**`", "@**all**\n```\n@**all**\n# @**all**"] {
            let text = changed
                .pointer_mut(&path)
                .map(|text| std::mem::replace(text, hostile.into()));
            if let Outcome::Message(said) = outcome(integration, headers, &changed) {
                let html = html(&said.content);
                assert!(!html.contains("mention"), "{path}: {}", said.content);
            }
            if let (Some(place), Some(text)) = (changed.pointer_mut(&path), text) {
                *place = text;
            }
        }
    }
    match outcome(integration, headers, body) {
        Outcome::Message(message) => message,
        other => panic!("no message: {other:?}"),
    }
}

/// The HTML of a message.
pub(crate) fn html(markdown: &str) -> String {
    let directory = spindle_markup::Directory::default();
    let context = spindle_markup::Context::new(&directory, "https://chat.example.org");
    spindle_markup::render(markdown, &context).html
}

/// Pointers to all values that are not lists or objects.
fn paths(value: &Value) -> Vec<String> {
    let inner: Vec<(String, &Value)> = match value {
        Value::Array(list) => list
            .iter()
            .enumerate()
            .map(|(at, value)| (at.to_string(), value))
            .collect(),
        Value::Object(fields) => {
            let escape = |name: &String| name.replace('~', "~0").replace('/', "~1");
            fields
                .iter()
                .map(|(name, value)| (escape(name), value))
                .collect()
        }
        _ => return vec![String::new()],
    };
    let paths = inner.into_iter().flat_map(|(name, value)| {
        paths(value)
            .into_iter()
            .map(move |path| format!("/{name}{path}"))
    });
    paths.collect()
}
