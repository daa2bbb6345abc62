//! Apps for tests: their components, and installing them.

use std::path::PathBuf;

use serde_json::Value;

use crate::server::repository;
use crate::{Call, Client, FilePart, Reply, until};

/// A component with a manifest and nothing else: it can be installed, but does not run.
#[must_use]
pub fn bare_component(manifest: &str) -> Vec<u8> {
    let name = b"spindle-app";
    let mut custom = vec![u8::try_from(name.len()).unwrap_or_default()];
    custom.extend(name);
    custom.extend(manifest.as_bytes());
    let mut bytes = b"\0asm\x0d\0\x01\0".to_vec();
    bytes.push(0);
    let length = custom.len();
    for shift in [0, 7] {
        bytes.push(((length >> shift) & 0x7f) as u8 | 0x80);
    }
    bytes.push(((length >> 14) & 0x7f) as u8);
    bytes.extend(custom);
    bytes
}

/// A component of the newest build, such as `test_app` or `app_poll`.
///
/// # Panics
/// When it was not built.
#[must_use]
pub fn built_component(name: &str) -> Vec<u8> {
    let target = repository().join("target/wasm32-wasip2");
    let file = |folder: &str| target.join(folder).join(format!("{name}.wasm"));
    let built = |path: &PathBuf| {
        std::fs::metadata(path)
            .and_then(|file| file.modified())
            .ok()
    };
    let newest = ["component", "debug"]
        .map(file)
        .into_iter()
        .max_by_key(built)
        .expect("two folders");
    std::fs::read(&newest).unwrap_or_else(|error| panic!("{}: {error}", newest.display()))
}

/// Uploads a component.
pub fn upload(client: &Client, method: &str, path: &str, component: &[u8]) -> Reply {
    let file = FilePart {
        field: "file",
        file_name: "app.wasm",
        content_type: Some("application/wasm"),
        content: component,
    };
    client.send(Call::new(method, path).upload(&[], &[file]))
}

/// Installs an app and grants all that it asks for; returns its object.
pub fn install(client: &Client, component: &[u8]) -> Value {
    let app = upload(client, "POST", "/apps", component).ok()["app"].clone();
    let wanted = &app["manifest"];
    let commands = wanted["commands"].as_array().cloned().unwrap_or_default();
    let commands: Vec<Value> = commands.iter().map(|one| one["name"].clone()).collect();
    let channels = match wanted["channels"].as_str() {
        Some("all") => Value::Null,
        _ => Value::Array(Vec::new()),
    };
    let rights = serde_json::json!({"events": wanted["events"], "hosts": wanted["hosts"],
        "commands": commands, "channels": channels});
    change(client, &app, &[("rights", &rights.to_string())]).ok()["app"].clone()
}

/// Says something to an app, and waits until it has nothing to do.
pub fn tell(owner: &Client, app: &Value, text: &str) {
    let to = format!("[{}]", app["bot_user_id"]);
    let message = [("type", "direct"), ("to", to.as_str()), ("content", text)];
    owner.post("/messages", &message).ok();
    until("an idle app", || {
        let apps = owner.get("/apps", &[]).ok()["apps"].clone();
        let mut all = apps.as_array().expect("apps").iter();
        let own = all.find(|one| one["app_id"] == app["app_id"]);
        (own.expect("the app")["waiting_events"] == 0).then_some(())
    });
}

/// The newest message that a client can read.
pub fn newest(client: &Client) -> Value {
    let page = [
        ("anchor", "newest"),
        ("num_before", "1"),
        ("num_after", "0"),
        ("apply_markdown", "false"),
    ];
    client.get("/messages", &page).ok()["messages"][0].clone()
}

/// PATCH /apps/{app_id}.
pub fn change(client: &Client, app: &Value, pairs: &[(&str, &str)]) -> Reply {
    let path = format!("/apps/{}", app["app_id"]);
    client.send(Call::new("PATCH", &path).form(pairs))
}
