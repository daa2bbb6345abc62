//! Requests of the rows about apps.

use spindle_tests::apps::bare_component;
use spindle_tests::{Call, FilePart, unique};

use crate::Context;

/// An app that is not installed.
const MISSING: &str = "/apps/999999999";

pub(crate) fn request(operation: &str, variant: &str, context: &Context<'_>) -> Option<Call> {
    Some(match (operation, variant) {
        ("GET /apps", "") => Call::new("GET", "/apps"),
        ("POST /apps", "") => upload("POST", "/apps"),
        ("PATCH /apps/{app_id}", "missing") => Call::new("PATCH", MISSING),
        ("PUT /apps/{app_id}/component", "missing") => {
            upload("PUT", &format!("{MISSING}/component"))
        }
        ("DELETE /apps/{app_id}", "missing") => Call::new("DELETE", MISSING),
        ("GET /apps/{app_id}/log", "missing") => Call::new("GET", &format!("{MISSING}/log")),
        ("POST /messages/{message_id}/click", "without buttons") => {
            let path = format!("/messages/{}/click", context.others.public_message);
            Call::new("POST", &path).form(&[("button", "yes")])
        }
        _ => return None,
    })
}

fn upload(method: &str, path: &str) -> Call {
    let name = unique("m").to_lowercase();
    let name: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
    let name = &name[name.len().saturating_sub(25)..];
    let manifest = format!(r#"{{"name":"m{name}","title":"M{name}","version":"1"}}"#);
    let content = bare_component(&manifest);
    let file = FilePart {
        field: "file",
        file_name: "app.wasm",
        content_type: Some("application/wasm"),
        content: &content,
    };
    Call::new(method, path).upload(&[], &[file])
}
