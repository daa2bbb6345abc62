//! User groups: created, changed, nested, deactivated and reactivated.
//!
//! Writers change each other's groups, so a request may have become impossible; such a refusal is
//! accepted.

use serde_json::{Value, json};
use spindle_tests::{User, unique};

use super::{World, done_or_refused};
use crate::random::Random;

/// The most groups that one writer creates.
const GROUPS: usize = 6;

const PERMISSIONS: [&str; 4] = [
    "can_add_members_group",
    "can_join_group",
    "can_mention_group",
    "can_remove_members_group",
];

/// One change of a group, or a new one.
pub(super) fn change(world: &World, user: &User, random: &mut Random) {
    if user.full_name.contains("guest") {
        return;
    }
    let pairs = [("include_deactivated_groups", "true")];
    let body = user.get("/user_groups", &pairs).ok();
    let mut own = Vec::new();
    for group in body["user_groups"].as_array().expect("user_groups") {
        if group["creator_id"] == user.user_id {
            own.push(group["id"].as_i64().expect("id"));
        }
    }
    let person = person(world, random);
    if own.len() < GROUPS {
        let name = unique("group ");
        let members = json!([person]).to_string();
        let pairs = [("name", &*name), ("description", ""), ("members", &members)];
        done_or_refused(user.post("/user_groups/create", &pairs));
        return;
    }
    let group = *random.pick(&own);
    let other = *random.pick(&own);
    let list = |ids: Vec<i64>| json!(ids).to_string();
    let path = format!("/user_groups/{group}");
    let (lists, nesting) = (format!("{path}/members"), format!("{path}/subgroups"));
    match random.below(8) {
        0 => user.post(&lists, &[("add", &list(vec![person]))]),
        1 => user.post(&lists, &[("delete", &list(vec![person]))]),
        2 => user.post(&nesting, &[("add", &list(vec![other]))]),
        3 => user.post(&nesting, &[("delete", &list(vec![other]))]),
        4 => user.post(&format!("{path}/deactivate"), &[]),
        5 => user.patch(&path, &[("deactivated", "false")]),
        6 => user.patch(&path, &[("name", &unique("renamed "))]),
        _ => {
            let value: Value = match random.below(3) {
                0 => json!(other),
                1 => json!({"direct_members": [person], "direct_subgroups": [other]}),
                _ => json!({"direct_members": [], "direct_subgroups": []}),
            };
            let update = json!({"new": value}).to_string();
            user.patch(&path, &[(*random.pick(&PERMISSIONS), &update)])
        }
    };
}

/// A random account, which may be deactivated at the time.
fn person(world: &World, random: &mut Random) -> i64 {
    let people: Vec<&User> = [&world.writers, &world.observers, &world.changing]
        .into_iter()
        .flatten()
        .collect();
    random.pick(&people).user_id
}
