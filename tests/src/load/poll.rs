//! A poller: follows one queue over everything that happens to the server.
//!
//! Owns the check that no event is lost or duplicated.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::Ordering;
use std::time::Duration;

use serde_json::Value;

use super::Run;
use crate::{Call, Queue, User};

/// The messages that a poller knows from its events: content and topic by id.
pub(super) type Messages = BTreeMap<i64, (String, String)>;

/// Polls with the same queue, over everything that happens to the server, until it is gone for good.
pub(super) fn poll(reader: &User, queue: &Queue, run: &Run, seen: &Mutex<Messages>) {
    let mut last = -1_i64;
    loop {
        let position = last.to_string();
        let call = Call::new("GET", "/events")
            .query(&[
                ("queue_id", queue.queue_id.as_str()),
                ("last_event_id", &position),
            ])
            .timeout(Duration::from_secs(20));
        let reply = match reader.try_send(&call) {
            Ok(reply) if run.errors.allow(&reply) => {
                std::thread::sleep(Duration::from_millis(50));
                continue;
            }
            Ok(reply) => reply,
            Err(_) if run.stop.load(Ordering::SeqCst) => return,
            Err(_) => {
                std::thread::sleep(Duration::from_millis(20));
                continue;
            }
        };
        assert_eq!(reply.status, 200, "a queue did not survive: {}", reply.body);
        for event in reply.body["events"].as_array().expect("events") {
            let id = event["id"].as_i64().expect("id");
            assert_eq!(id, last + 1, "a gap or a duplicate after {last}");
            last = id;
            apply(event, &mut seen.lock().expect("lock"));
        }
    }
}

fn apply(event: &Value, messages: &mut Messages) {
    let text = |value: &Value| value.as_str().expect("text").to_owned();
    match event["type"].as_str().expect("type") {
        "message" => {
            let message = &event["message"];
            let number = message["id"].as_i64().expect("id");
            let state = (text(&message["content"]), text(&message["subject"]));
            let before = messages.insert(number, state);
            assert!(before.is_none(), "message {number} came twice");
        }
        "update_message" => {
            let number = event["message_id"].as_i64().expect("id");
            let state = messages.get_mut(&number).expect("it was sent before");
            if let Some(content) = event["content"].as_str() {
                state.0 = content.to_owned();
            }
            if let Some(topic) = event["subject"].as_str() {
                state.1 = topic.to_owned();
            }
        }
        "delete_message" => {
            let number = event["message_id"].as_i64().expect("id");
            let gone = messages.remove(&number);
            assert!(gone.is_some(), "message {number} was deleted before");
        }
        _ => {}
    }
}
