//! Helpers of the golden tests: they store an event and return what a queue receives.

#![allow(clippy::unwrap_used, clippy::panic, unreachable_pub)]

use serde_json::{Map, Value};
use spindle_domain::UserId;
use spindle_events::{Capabilities, Event, LogRow, Registration, accept};

/// The events that a queue receives for an event, in wire form, with ids counted from 0.
pub fn given(registration: &Registration, event: Event) -> Value {
    let row = event.into_row();
    let row = LogRow::parse(1, row.event_type, &row.body, &row.audience).unwrap();
    accept(registration, &row)
        .iter()
        .zip(0..)
        .map(|(payload, id)| serde_json::from_str::<Value>(&payload.with_id(id)).unwrap())
        .collect()
}

/// A queue of user 1 with the named capabilities.
pub fn queue(capabilities: &[&str]) -> Registration {
    let named: Map<String, Value> = capabilities
        .iter()
        .inspect(|name| assert!(Capabilities::NAMES.contains(name), "{name}"))
        .map(|name| ((*name).to_owned(), Value::Bool(true)))
        .collect();
    Registration {
        queue_id: "q1".into(),
        user_id: UserId(1),
        capabilities: serde_json::from_value(named.into()).unwrap(),
        ..Registration::default()
    }
}

/// A JSON object.
#[allow(dead_code)] // not every file of tests needs it
pub fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(object) => object,
        other => panic!("not an object: {other}"),
    }
}
