//! User groups: creation and deactivation, permissions, members and subgroups.

mod create_user_group;
mod deactivate_user_group;
mod events;
mod mentions;
mod permission_values;
mod reads;
mod system_groups;
mod update_user_group;
mod update_user_group_members;
mod update_user_group_subgroups;

use serde_json::{Value, json};
use spindle_tests::{User, unique};

use crate::support::server;

/// Makes a group without members.
#[track_caller]
fn group(user: &User) -> i64 {
    group_of(user, &[])
}

/// Makes a group with members.
#[track_caller]
fn group_of(user: &User, members: &[&User]) -> i64 {
    let ids: Vec<i64> = members.iter().map(|member| member.user_id).collect();
    group_with(user, &[("members", &json!(ids).to_string())])
}

/// Makes a group with further parameters.
#[track_caller]
fn group_with(user: &User, pairs: &[(&str, &str)]) -> i64 {
    let name = unique("group ");
    let mut all = vec![("name", name.as_str()), ("description", "made by a test")];
    if pairs.iter().all(|(name, _)| *name != "members") {
        all.push(("members", "[]"));
    }
    all.extend(pairs);
    user.post("/user_groups/create", &all).ok()["group_id"]
        .as_i64()
        .expect("group_id")
}

fn path(group: i64) -> String {
    format!("/user_groups/{group}")
}

fn sub(group: i64, what: &str) -> String {
    format!("/user_groups/{group}/{what}")
}

/// The record of a group, deactivated or not.
#[track_caller]
fn record(user: &User, group: i64) -> Value {
    let pairs = [("include_deactivated_groups", "true")];
    let body = user.get("/user_groups", &pairs).ok();
    let groups = body["user_groups"].as_array().expect("user_groups");
    groups
        .iter()
        .find(|record| record["id"] == group)
        .cloned()
        .unwrap_or_else(|| panic!("group {group} is not listed"))
}

/// The id of a system group.
fn system(user: &User, name: &str) -> i64 {
    let body = user.get("/user_groups", &[]).ok();
    let groups = body["user_groups"].as_array().expect("user_groups");
    groups
        .iter()
        .find(|record| record["name"] == name)
        .and_then(|record| record["id"].as_i64())
        .expect("a system group")
}

/// A permission value of users and groups.
fn nameless(members: &[i64], subgroups: &[i64]) -> Value {
    json!({"direct_members": members, "direct_subgroups": subgroups})
}

/// Sets one permission of a group.
#[track_caller]
fn allow(user: &User, group: i64, permission: &str, value: &Value) {
    let update = json!({"new": value}).to_string();
    user.patch(&path(group), &[(permission, &update)]).ok();
}

/// Assigns a permission of a channel or of the organization to a group, without events.
fn set_permission(owner_type: &str, owner_id: i64, name: &str, group: i64) {
    let values = rusqlite::params![owner_type, owner_id, name, group];
    let sql = "INSERT INTO group_settings (realm_id, owner_type, owner_id, name, group_id)
               VALUES (1, ?1, ?2, ?3, ?4)
               ON CONFLICT (owner_type, owner_id, name) DO UPDATE SET group_id = excluded.group_id";
    server().database().execute(sql, values).unwrap();
}
