//! The organization: linkifiers, domains, playgrounds and settings. Changes of one test are visible
//! to all accounts of the server, so these tests have a server of their own and run one at a time.

mod add_linkifier;
mod audit_log;
mod code_playgrounds;
mod deactivate_realm;
mod get_linkifiers;
mod linkifiers_size;
mod profile_field_rules;
mod profile_fields;
mod realm_domains;
mod realm_effects;
mod realm_events;
mod remove_linkifier;
mod render_linkifiers;
mod reorder_linkifiers;
mod update_linkifier;
mod update_profile_field;
mod update_realm;
mod versions;

use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use serde_json::{Value, json};
use spindle_tests::{Options, Queue, Server, User};

/// The server of these tests, locked for one test.
struct Alone {
    server: &'static Server,
    _turn: MutexGuard<'static, ()>,
}

impl std::ops::Deref for Alone {
    type Target = Server;
    fn deref(&self) -> &Server {
        self.server
    }
}

fn alone() -> Alone {
    static SERVER: OnceLock<Server> = OnceLock::new();
    static TURN: Mutex<()> = Mutex::new(());
    Alone {
        _turn: TURN.lock().unwrap_or_else(PoisonError::into_inner),
        server: SERVER.get_or_init(|| Server::start(Options::default())),
    }
}

const REALM: &str = "/realm";
const FILTERS: &str = "/realm/filters";
const LINKIFIERS: &str = "/realm/linkifiers";

/// The settings of the organization in the answer of POST /register.
fn realm(user: &User) -> Value {
    let pairs = [("event_types", "[]"), ("fetch_event_types", "[\"realm\"]")];
    let mut body = user.post("/register", &pairs).ok();
    body.as_object_mut()
        .expect("an object")
        .retain(|name, _| name.starts_with("realm_"));
    body
}

/// The id of a system group.
fn group_id(user: &User, name: &str) -> i64 {
    let pairs = [
        ("event_types", "[]"),
        ("fetch_event_types", "[\"realm_user_groups\"]"),
    ];
    let body = user.post("/register", &pairs).ok();
    let groups = body["realm_user_groups"].as_array().expect("groups");
    let group = groups.iter().find(|group| group["name"] == name);
    group.expect("a system group")["id"].as_i64().expect("id")
}

/// Resets settings that other tests read to the values of a new organization.
fn reset(owner: &User) {
    let administrators = json!({"new": group_id(owner, "role:administrators")}).to_string();
    let members = json!({"new": group_id(owner, "role:members")}).to_string();
    let pairs = [
        ("allow_message_editing", "true"),
        ("default_language", "en"),
        ("description", ""),
        ("emails_restricted_to_domains", "false"),
        ("enable_spectator_access", "true"),
        ("inline_image_preview", "true"),
        ("jitsi_server_url", "default"),
        ("message_content_delete_limit_seconds", "600"),
        ("message_content_edit_limit_seconds", "600"),
        ("message_edit_history_visibility_policy", "all"),
        ("name", "Organization"),
        ("name_changes_disabled", "false"),
        ("presence_disabled", "false"),
        ("require_unique_names", "false"),
        ("topics_policy", "allow_empty_topic"),
        ("waiting_period_threshold", "0"),
        ("can_mention_many_users_group", &administrators),
        ("can_create_public_channel_group", &members),
    ];
    owner.patch(REALM, &pairs).ok();
}

/// Adds a linkifier `<prefix><digits>` and returns its id.
#[track_caller]
fn add(user: &User, prefix: &str) -> i64 {
    let pattern = format!("{prefix}(?P<id>[0-9]+)");
    let pairs = [
        ("pattern", pattern.as_str()),
        ("url_template", "https://t.example/{id}"),
    ];
    user.post(FILTERS, &pairs).ok()["id"].as_i64().expect("id")
}

fn list(user: &User) -> Vec<Value> {
    let body = user.get(LINKIFIERS, &[]).ok();
    body["linkifiers"].as_array().expect("linkifiers").clone()
}

fn ids(user: &User) -> Vec<i64> {
    let ids = list(user).into_iter().map(|record| record["id"].as_i64());
    ids.map(|id| id.expect("id")).collect()
}

fn record(user: &User, id: i64) -> Value {
    let found = list(user).into_iter().find(|record| record["id"] == id);
    found.unwrap_or(Value::Null)
}

/// A queue whose client understands URL templates, or one whose client does not.
fn queue(user: &User, understands: bool) -> Queue {
    let capabilities = json!({"linkifier_url_template": understands}).to_string();
    Queue::open(
        user,
        &[
            ("event_types", "[\"realm_linkifiers\", \"user_status\"]"),
            ("fetch_event_types", "[]"),
            ("client_capabilities", &capabilities),
        ],
    )
}

/// All events until a status that `user` sets now.
fn settled(queue: &mut Queue, user: &User) -> Vec<Value> {
    let text = spindle_tests::unique("beacon ");
    user.post("/users/me/status", &[("status_text", &text)])
        .ok();
    let mut events = queue.until(|event| event["status_text"] == text.as_str());
    events.retain(|event| event["type"] != "user_status");
    events
}
