//! Profiles, profile fields, and accounts that an owner changes.
//!
//! Several writers act concurrently, so an object that one of them names may be deleted: refusals
//! are accepted.

use serde_json::{Value, json};
use spindle_tests::{User, unique};

use super::{World, done_or_refused};
use crate::random::Random;

/// Above this number, fields are deleted again.
const FIELDS: usize = 5;

pub(crate) fn change(world: &World, user: &User, random: &mut Random) {
    let owner = &world.writers[0];
    match random.below(6) {
        0..=2 => set_value(user, random),
        3 => change_fields(owner, random),
        4 => change_choices(owner, random),
        _ => change_account(owner, random.pick(&world.changing), random),
    }
}

fn fields(user: &User) -> Vec<Value> {
    let body = user.get("/realm/profile_fields", &[]).ok();
    body["custom_fields"]
        .as_array()
        .expect("custom_fields")
        .clone()
}

fn set_value(user: &User, random: &mut Random) {
    let fields = fields(user);
    if fields.is_empty() {
        return;
    }
    let field = random.pick(&fields);
    if random.below(4) == 0 {
        let data = json!([field["id"]]).to_string();
        done_or_refused(user.delete("/users/me/profile_data", &[("data", &data)]));
        return;
    }
    let value = match field["type"].as_i64() {
        Some(3) => json!(random.pick(&["a", "b", "c"])),
        Some(6) => json!([user.user_id]),
        _ => json!(format!("*value* {}", random.below(100))),
    };
    let data = json!([{"id": field["id"], "value": value}]).to_string();
    done_or_refused(user.patch("/users/me/profile_data", &[("data", &data)]));
}

fn change_fields(owner: &User, random: &mut Random) {
    let known = fields(owner);
    if known.len() > FIELDS {
        let id = &random.pick(&known)["id"];
        done_or_refused(owner.delete(&format!("/realm/profile_fields/{id}"), &[]));
        return;
    }
    if random.below(2) == 0 {
        let mut order: Vec<&Value> = known.iter().map(|field| &field["id"]).collect();
        order.reverse();
        let order = json!(order).to_string();
        done_or_refused(owner.patch("/realm/profile_fields", &[("order", &order)]));
        return;
    }
    let name = unique("Field ");
    let kind = random.pick(&["1", "2", "3", "6", "8"]);
    let data = choices(&["a", "b"]);
    let pairs = [
        ("name", name.as_str()),
        ("field_type", *kind),
        ("field_data", &data),
    ];
    done_or_refused(owner.post("/realm/profile_fields", &pairs));
}

fn choices(keys: &[&str]) -> String {
    let all: serde_json::Map<String, Value> = keys
        .iter()
        .map(|key| ((*key).to_owned(), json!({"text": key, "order": "1"})))
        .collect();
    Value::Object(all).to_string()
}

/// The values of removed choices are deleted with them.
fn change_choices(owner: &User, random: &mut Random) {
    let known = fields(owner);
    let Some(field) = known.iter().find(|field| field["type"] == 3) else {
        return;
    };
    let pairs = [["a", "b"], ["b", "c"], ["a", "c"]];
    let chosen: &[&str; 2] = random.pick(&pairs);
    let data = choices(chosen);
    let path = format!("/realm/profile_fields/{}", field["id"]);
    done_or_refused(owner.patch(&path, &[("field_data", &data)]));
}

fn change_account(owner: &User, user: &User, random: &mut Random) {
    let name = unique("Renamed ");
    let role = *random.pick(&["300", "400"]);
    let path = format!("/users/{}", user.id());
    // Others name these people too, so they are not deactivated here.
    let reply = match random.below(2) {
        0 => owner.patch(&path, &[("full_name", &name)]),
        _ => owner.patch(&path, &[("role", role)]),
    };
    done_or_refused(reply);
}
