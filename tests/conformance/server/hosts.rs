//! The Host header affects only the answer to its own request (docs/protocol/conventions.md#hosts).

use serde_json::{Value, json};
use spindle_tests::{Call, Reply, User, has_other_nodes, unique};

use crate::support::server;

const HOST: &str = "evil.example";

#[track_caller]
fn at_host(user: &User, method: &str, path: &str, pairs: &[(&str, &str)]) -> Reply {
    user.send(Call::new(method, path).form(pairs).header("Host", HOST))
}

/// Fails when a value names the host anywhere.
#[track_caller]
fn unaware(value: &Value) {
    let text = value.to_string();
    assert!(!text.contains(HOST), "{text}");
}

#[test]
fn only_the_answer_names_the_host_of_its_request() {
    let owner = server().user("owner");
    let answer = at_host(&owner, "POST", "/register", &[]).ok();
    // Nodes have an external_url, which takes precedence over the host.
    if !has_other_nodes() {
        assert_eq!(answer["realm_url"], format!("http://{HOST}"));
    }
    let domain = owner.post("/register", &[]).ok()["realm_bot_domain"].clone();
    assert_eq!(answer["realm_bot_domain"], domain);
    // Addresses of bots, links of invitations, exports.
    let name = unique("Bot ");
    let pairs = [
        ("full_name", name.as_str()),
        ("short_name", name.trim_start_matches("Bot ")),
        ("bot_type", "1"),
    ];
    unaware(&at_host(&owner, "POST", "/bots", &pairs).ok());
    unaware(&owner.get("/bots", &[]).ok());
    unaware(&at_host(&owner, "POST", "/invites/multiuse", &[]).ok());
    unaware(&at_host(&owner, "GET", "/invites", &[]).ok());
    // Texts that are stored.
    let to = json!([owner.user_id]).to_string();
    let pairs = [("type", "direct"), ("to", &*to), ("content", "note")];
    let id = at_host(&owner, "POST", "/messages", &pairs).ok()["id"].to_string();
    let pairs = [
        ("message_id", id.as_str()),
        ("scheduled_delivery_timestamp", "4000000000"),
    ];
    at_host(&owner, "POST", "/reminders", &pairs).ok();
    let reminders = owner.get("/reminders", &[]).ok();
    unaware(&reminders);
    let content = reminders["reminders"][0]["content"].as_str();
    let content = content.expect("content");
    assert!(
        content.contains(&format!("](/#narrow/near/{id})")),
        "{content}"
    );
}
