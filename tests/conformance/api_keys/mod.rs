//! API keys with names, ends and scopes (docs/protocol/sessions.md#api-keys).

mod bounds;
mod ending;
mod make;
mod of_others;
mod scopes;

use serde_json::Value;
use spindle_tests::{Client, Server, User};

const PASSWORD: &str = "correct horse battery staple";

/// A key with a name, and the client that uses it.
struct Key {
    id: i64,
    client: Client,
}

/// Makes a key; `ends` in UNIX seconds.
#[track_caller]
fn key(server: &Server, user: &User, scope: &str, ends: Option<i64>) -> Key {
    let ends = ends.map_or("null".to_owned(), |ends| ends.to_string());
    let pairs = [("name", "Report"), ("scope", scope), ("ends", &ends)];
    let made = user.post("/api_keys", &pairs).ok();
    let secret = made["api_key"].as_str().expect("a key");
    Key {
        id: made["key_id"].as_i64().expect("an id"),
        client: Client::new(server.base_url(), Some((&user.email, secret))),
    }
}

/// The keys with names of the caller.
fn named(caller: &Client) -> Vec<Value> {
    let body = caller.get("/api_keys", &[]).ok();
    let listed = body["api_keys"].as_array().expect("keys").iter();
    listed
        .filter(|one| !one["name"].is_null())
        .cloned()
        .collect()
}

/// The data of the entries of a kind about an account, the newest first.
fn recorded(owner: &Client, kind: &str, user: &User) -> Vec<Value> {
    let (kinds, of) = (format!("[\"{kind}\"]"), user.id());
    let pairs = [
        ("event_types", kinds.as_str()),
        ("modified_user_id", of.as_str()),
    ];
    let body = owner.get("/audit_log", &pairs).ok();
    let entries = body["audit_log"].as_array().expect("entries").iter();
    entries.map(|one| one["data"].clone()).collect()
}
