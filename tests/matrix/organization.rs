//! Requests of the rows about the organization: its linkifiers and settings.

use std::sync::OnceLock;

use serde_json::json;
use spindle_tests::{Call, Server, User, unique};

use crate::Context;

/// Makes what the cells change.
fn owner() -> &'static User {
    static OWNER: OnceLock<User> = OnceLock::new();
    OWNER.get_or_init(|| Server::shared().user("owner"))
}

fn linkifier() -> [(&'static str, String); 2] {
    [
        ("pattern", unique("matrix-")),
        ("url_template", "https://t.example/".to_owned()),
    ]
}

fn with_pairs(method: &str, path: &str, pairs: &[(&str, String)]) -> Call {
    let pairs: Vec<(&str, &str)> = pairs
        .iter()
        .map(|(name, text)| (*name, text.as_str()))
        .collect();
    Call::new(method, path).form(&pairs)
}

/// A linkifier made for one cell.
fn new_linkifier() -> String {
    let call = with_pairs("POST", "/realm/filters", &linkifier());
    let id = owner().send(call).ok()["id"].clone();
    format!("/realm/filters/{id}")
}

fn current_order() -> String {
    let body = owner().get("/realm/linkifiers", &[]).ok();
    let records = body["linkifiers"].as_array().expect("linkifiers");
    let ids: Vec<_> = records.iter().map(|record| &record["id"]).collect();
    json!(ids).to_string()
}

pub(crate) fn request(operation: &str, variant: &str, _: &Context<'_>) -> Option<Call> {
    let call = match (operation, variant) {
        ("POST /realm/filters", "") => with_pairs("POST", "/realm/filters", &linkifier()),
        ("PATCH /realm/filters/{filter_id}", "") => {
            with_pairs("PATCH", &new_linkifier(), &linkifier())
        }
        ("DELETE /realm/filters/{filter_id}", "") => Call::new("DELETE", &new_linkifier()),
        ("PATCH /realm/filters/{filter_id}", "of none") => {
            with_pairs("PATCH", "/realm/filters/999999", &linkifier())
        }
        ("DELETE /realm/filters/{filter_id}", "of none") => {
            Call::new("DELETE", "/realm/filters/999999")
        }
        ("PATCH /realm", "") => Call::new("PATCH", "/realm").form(&[("digest_weekday", "1")]),
        ("PATCH /realm", "for owners") => {
            Call::new("PATCH", "/realm").form(&[("message_retention_days", "unlimited")])
        }
        ("POST /realm/test_welcome_bot_custom_message", "") => {
            Call::new("POST", "/realm/test_welcome_bot_custom_message")
                .form(&[("welcome_message_custom_text", "Hello")])
        }
        ("GET /realm/linkifiers", "") => Call::new("GET", "/realm/linkifiers"),
        ("PATCH /realm/linkifiers", "") => Call::new("PATCH", "/realm/linkifiers")
            .form(&[("ordered_linkifier_ids", &current_order())]),
        _ => return None,
    };
    Some(call)
}
