//! User objects, of active and of deactivated users.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::{Event, Part, by_id, id};

#[derive(Debug)]
pub(super) struct People {
    users: BTreeMap<i64, Map<String, Value>>,
    inactive: BTreeMap<i64, Map<String, Value>>,
}

impl Part for People {
    const FETCH: &[&str] = &["realm_user"];
    const EVENTS: &[&str] = &["realm_user", "custom_profile_fields"];

    fn read(_own_id: i64, state: &Value) -> Self {
        Self {
            users: by_id(&state["realm_users"], "user_id"),
            inactive: by_id(&state["realm_non_active_users"], "user_id"),
        }
    }

    fn apply(&mut self, event: &Event<'_>) -> bool {
        match (event.kind, event.op) {
            ("realm_user", "add") => {
                let mut person = event["person"].as_object().expect("person").clone();
                let is_active = person.remove("is_active") != Some(json!(false));
                let list = if is_active {
                    &mut self.users
                } else {
                    &mut self.inactive
                };
                list.insert(id(&person["user_id"]), person);
            }
            ("realm_user", "update") => self.apply_person(&event["person"]),
            ("custom_profile_fields", _) => self.drop_values(&event["fields"]),
            _ => return false,
        }
        true
    }
}

impl People {
    fn apply_person(&mut self, change: &Value) {
        let user = id(&change["user_id"]);
        if let Some(active) = change.get("is_active") {
            let (from, to) = if active == true {
                (&mut self.inactive, &mut self.users)
            } else {
                (&mut self.users, &mut self.inactive)
            };
            let person = from.remove(&user).expect("a known person");
            to.insert(user, person);
            return;
        }
        let person = match self.users.get_mut(&user) {
            Some(person) => person,
            None => self.inactive.get_mut(&user).expect("a known person"),
        };
        if let Some(field) = change.get("custom_profile_field") {
            set_value(person, field);
            return;
        }
        for (name, value) in change.as_object().expect("person") {
            let name = if name == "new_email" { "email" } else { name };
            // User objects of a snapshot do not have these fields.
            if !matches!(name, "avatar_source" | "avatar_url_medium") {
                person.insert(name.to_owned(), value.clone());
            }
        }
        if let Some(role) = change.get("role") {
            let role = id(role);
            person.insert("is_owner".to_owned(), json!(role == 100));
            person.insert("is_admin".to_owned(), json!(role <= 200));
            person.insert("is_guest".to_owned(), json!(role == 600));
        }
    }

    /// Deletes the values of a profile field that was removed.
    fn drop_values(&mut self, fields: &Value) {
        let fields = by_id(fields, "id");
        for person in self.users.values_mut().chain(self.inactive.values_mut()) {
            if let Some(Value::Object(profile)) = person.get_mut("profile_data") {
                profile.retain(|field, _| fields.contains_key(&field.parse().expect("an id")));
            }
        }
    }
}

/// One value of a profile: `{id, value, rendered_value?}`; null deletes it.
fn set_value(person: &mut Map<String, Value>, field: &Value) {
    let profile = person["profile_data"].as_object_mut().expect("a profile");
    let key = field["id"].to_string();
    if field["value"].is_null() {
        profile.remove(&key);
        return;
    }
    let mut value = field.as_object().expect("a value").clone();
    value.remove("id");
    profile.insert(key, value.into());
}
