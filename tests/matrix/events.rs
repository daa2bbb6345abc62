//! Requests of the rows about registration and event queues.

use spindle_tests::{Call, Queue};

use crate::Context;

pub(crate) fn request(operation: &str, variant: &str, context: &Context<'_>) -> Option<Call> {
    let form = |pairs: &[(&str, &str)]| Some(Call::new("POST", "/register").form(pairs));
    match (operation, variant) {
        ("POST /register", "") => form(&[]),
        ("POST /register", "all public channels") => form(&[("all_public_streams", "true")]),
        ("POST /register", "complete subscribers") => form(&[("include_subscribers", "true")]),
        ("GET /events", "new queue") => {
            Some(Call::new("GET", "/events").query(&[("dont_block", "true")]))
        }
        ("GET /events", _) => Some(Call::new("GET", "/events").query(&[
            ("queue_id", &queue(variant, context)),
            ("last_event_id", "-1"),
            ("dont_block", "true"),
        ])),
        ("DELETE /events", _) => {
            let pairs = [("queue_id", queue(variant, context))];
            let pairs: Vec<(&str, &str)> = pairs.iter().map(|(k, v)| (*k, v.as_str())).collect();
            Some(Call::new("DELETE", "/events").form(&pairs))
        }
        _ => None,
    }
}

/// A queue of another user, or a new one of the caller.
fn queue(variant: &str, context: &Context<'_>) -> String {
    if variant == "other's queue" {
        return context.others.queue.queue_id.clone();
    }
    if context.can_call() {
        Queue::of(&context.caller.client, &["message"]).queue_id
    } else {
        "none".to_owned()
    }
}
