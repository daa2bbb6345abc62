//! A user's private data: snippets, views, devices, drafts, reminders.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::{Event, Part, id, object};

type Objects = BTreeMap<String, Map<String, Value>>;

#[derive(Debug)]
pub(super) struct Personal {
    drafts: Objects,
    reminders: Objects,
    scheduled_messages: Objects,
    snippets: Objects,
    views: Objects,
    devices: Objects,
    push_accounts: Objects,
    bots: Objects,
    muted_users: Value,
    alert_words: Value,
    defaults: BTreeMap<String, Value>,
}

/// The objects of a list, keyed by one of their text fields.
fn keyed(list: &Value, key: &str) -> Objects {
    let list = list.as_array().expect("a list");
    list.iter().map(|item| entry(item, key)).collect()
}

fn entry(item: &Value, key: &str) -> (String, Map<String, Value>) {
    let object = item.as_object().expect("an object").clone();
    (text(&item[key]), object)
}

fn text(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| id(value).to_string(), str::to_owned)
}

fn table(object: &Value) -> Objects {
    let members = object.as_object().expect("an object").iter();
    members
        .map(|(key, value)| (key.clone(), value.as_object().expect("an object").clone()))
        .collect()
}

impl Part for Personal {
    const FETCH: &[&str] = &[
        "alert_words",
        "drafts",
        "reminders",
        "scheduled_messages",
        "muted_users",
        "realm_bot",
        "realm_user_settings_defaults",
        "saved_snippets",
        "navigation_views",
        "device",
        "push_device",
    ];
    const EVENTS: &[&str] = &[
        "alert_words",
        "drafts",
        "reminders",
        "scheduled_messages",
        "muted_users",
        "realm_bot",
        "realm_user_settings_defaults",
        "saved_snippets",
        "navigation_view",
        "device",
        "push_device",
    ];

    fn read(_own_id: i64, state: &Value) -> Self {
        Self {
            drafts: keyed(&state["drafts"], "id"),
            reminders: keyed(&state["reminders"], "reminder_id"),
            scheduled_messages: keyed(&state["scheduled_messages"], "scheduled_message_id"),
            snippets: keyed(&state["saved_snippets"], "id"),
            views: keyed(&state["navigation_views"], "fragment"),
            devices: table(&state["devices"]),
            push_accounts: table(&state["push_devices"]),
            bots: bots(&state["realm_bots"]),
            muted_users: state["muted_users"].clone(),
            alert_words: state["alert_words"].clone(),
            defaults: object(&state["realm_user_settings_defaults"]),
        }
    }

    fn apply(&mut self, event: &Event<'_>) -> bool {
        match (event.kind, event.op) {
            ("drafts" | "reminders" | "scheduled_messages", op) => self.apply_later(op, event),
            ("saved_snippets", "remove") => {
                self.snippets.remove(&text(&event["saved_snippet_id"]));
            }
            ("saved_snippets", _) => {
                self.snippets.extend([entry(&event["saved_snippet"], "id")]);
            }
            ("navigation_view", "add") => {
                self.views
                    .extend([entry(&event["navigation_view"], "fragment")]);
            }
            ("navigation_view", "update") => {
                let view = self.views.get_mut(&text(&event["fragment"]));
                let data = event["data"].as_object().expect("data").clone();
                view.expect("a known view").extend(data);
            }
            ("navigation_view", "remove") => {
                self.views.remove(&text(&event["fragment"]));
            }
            ("alert_words", _) => self.alert_words = event["alert_words"].clone(),
            ("muted_users", _) => self.muted_users = event["muted_users"].clone(),
            ("realm_user_settings_defaults", "update") => {
                self.defaults
                    .insert(text(&event["property"]), event["value"].clone());
            }
            ("realm_bot", op) => self.apply_bot(op, &event["bot"]),
            ("device", op) => self.apply_device(op, event),
            ("push_device", _) => {
                let mut account = event.body.as_object().expect("an event").clone();
                account.retain(|name, _| matches!(name.as_str(), "status" | "error_code"));
                self.push_accounts
                    .insert(text(&event["push_account_id"]), account);
            }
            _ => return false,
        }
        true
    }
}

impl Personal {
    /// Drafts, reminders and scheduled messages: added in lists, changed and removed one by one.
    fn apply_later(&mut self, op: &str, event: &Event<'_>) {
        let (known, one, key) = match event.kind {
            "drafts" => (&mut self.drafts, "draft", "id"),
            "reminders" => (&mut self.reminders, "reminder", "reminder_id"),
            _ => (
                &mut self.scheduled_messages,
                "scheduled_message",
                "scheduled_message_id",
            ),
        };
        match op {
            "add" => known.extend(keyed(&event[event.kind], key)),
            "update" => known.extend([entry(&event[one], key)]),
            _ => {
                let gone = known.remove(&text(&event[format!("{one}_id").as_str()]));
                assert!(gone.is_some(), "a known {one}");
            }
        }
    }

    fn apply_bot(&mut self, op: &str, bot: &Value) {
        let (id, mut object) = entry(bot, "user_id");
        object.retain(|name, _| is_compared(name));
        match op {
            "add" => {
                self.bots.insert(id, object);
            }
            "update" => self.bots.get_mut(&id).expect("a known bot").extend(object),
            "delete" => {
                self.bots.remove(&id);
            }
            other => panic!("no such op: {other}"),
        }
    }

    fn apply_device(&mut self, op: &str, event: &Event<'_>) {
        let device_id = text(&event["device_id"]);
        match op {
            "add" => {
                let nothing = [
                    "push_key_id",
                    "push_token_id",
                    "pending_push_token_id",
                    "push_token_last_updated_timestamp",
                    "push_registration_error_code",
                ];
                let fields = nothing.map(|name| (name.to_owned(), Value::Null));
                self.devices.insert(device_id, fields.into_iter().collect());
            }
            "update" => {
                let mut changed = event.body.as_object().expect("an event").clone();
                changed.retain(|name, _| name.contains("push_"));
                let device = self.devices.get_mut(&device_id);
                device.expect("a known device").extend(changed);
            }
            "remove" => {
                self.devices.remove(&device_id);
            }
            other => panic!("no such op: {other}"),
        }
    }
}

/// The bots of a snapshot.
fn bots(list: &Value) -> Objects {
    let mut bots = keyed(list, "user_id");
    for bot in bots.values_mut() {
        bot.retain(|name, _| is_compared(name));
    }
    bots
}

/// Default channels are shown by what the owner may know, and no event follows when that changes
/// (docs/protocol/bots.md#defaults).
fn is_compared(name: &str) -> bool {
    !name.starts_with("default_sending") && !name.starts_with("default_events")
}
