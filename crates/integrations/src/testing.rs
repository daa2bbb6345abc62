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

/// The message of such a call.
#[track_caller]
pub(crate) fn message(
    integration: &Integration,
    headers: &[(&str, &str)],
    body: &Value,
) -> Message {
    match outcome(integration, headers, body) {
        Outcome::Message(message) => message,
        other => panic!("no message: {other:?}"),
    }
}
