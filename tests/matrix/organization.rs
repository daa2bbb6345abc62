//! Requests of the rows about the organization: its linkifiers, domains, playgrounds and settings.

use std::sync::OnceLock;

use serde_json::json;
use spindle_tests::{Call, Server, User, unique};

use crate::Context;

/// Creates the objects that the cells change.
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

fn domain() -> [(&'static str, String); 2] {
    let domain = format!("{}.example", unique("matrix").to_lowercase());
    [("domain", domain), ("allow_subdomains", "false".to_owned())]
}

/// A domain that was put into the list for one cell.
fn new_domain() -> String {
    let call = with_pairs("POST", "/realm/domains", &domain());
    let added = owner().send(call).ok()["new_domain"][1].clone();
    format!("/realm/domains/{}", added.as_str().expect("a domain"))
}

fn playground() -> [(&'static str, String); 3] {
    [
        ("name", unique("matrix ")),
        ("pygments_language", "Rust".to_owned()),
        ("url_template", "https://p.example/{code}".to_owned()),
    ]
}

/// A playground made for one cell.
fn new_playground() -> String {
    let call = with_pairs("POST", "/realm/playgrounds", &playground());
    let id = owner().send(call).ok()["id"].clone();
    format!("/realm/playgrounds/{id}")
}

fn current_order() -> String {
    let body = owner().get("/realm/linkifiers", &[]).ok();
    let records = body["linkifiers"].as_array().expect("linkifiers");
    let ids: Vec<_> = records.iter().map(|record| &record["id"]).collect();
    json!(ids).to_string()
}

fn exports(operation: &str, variant: &str) -> Option<Call> {
    Some(match (operation, variant) {
        ("GET /export/realm" | "GET /export/realm/consents", _) => {
            Call::new("GET", operation.strip_prefix("GET ")?)
        }
        ("POST /export/realm", "everything") => {
            Call::new("POST", "/export/realm").form(&[("export_type", "full_without_consent")])
        }
        ("POST /export/realm", _) => Call::new("POST", "/export/realm"),
        ("DELETE /export/realm/{export_id}", _) => Call::new("DELETE", "/export/realm/999999"),
        _ => return None,
    })
}

pub(crate) fn request(operation: &str, variant: &str, _: &Context<'_>) -> Option<Call> {
    if let Some(call) = exports(operation, variant) {
        return Some(call);
    }
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
        ("POST /realm/deactivate", "") => Call::new("POST", "/realm/deactivate"),
        ("GET /realm/domains", "") => Call::new("GET", "/realm/domains"),
        ("POST /realm/domains", "") => with_pairs("POST", "/realm/domains", &domain()),
        ("PATCH /realm/domains/{domain}", "") => with_pairs(
            "PATCH",
            &new_domain(),
            &[("allow_subdomains", "true".to_owned())],
        ),
        ("DELETE /realm/domains/{domain}", "") => Call::new("DELETE", &new_domain()),
        ("PATCH /realm/domains/{domain}", "of none") => {
            let pairs = [("allow_subdomains", "true".to_owned())];
            with_pairs("PATCH", "/realm/domains/none.example", &pairs)
        }
        ("DELETE /realm/domains/{domain}", "of none") => {
            Call::new("DELETE", "/realm/domains/none.example")
        }
        ("POST /realm/playgrounds", "") => with_pairs("POST", "/realm/playgrounds", &playground()),
        ("DELETE /realm/playgrounds/{playground_id}", "") => Call::new("DELETE", &new_playground()),
        ("DELETE /realm/playgrounds/{playground_id}", "of none") => {
            Call::new("DELETE", "/realm/playgrounds/999999")
        }
        ("GET /realm/linkifiers", "") => Call::new("GET", "/realm/linkifiers"),
        ("PATCH /realm/linkifiers", "") => Call::new("PATCH", "/realm/linkifiers")
            .form(&[("ordered_linkifier_ids", &current_order())]),
        _ => return None,
    };
    Some(call)
}
