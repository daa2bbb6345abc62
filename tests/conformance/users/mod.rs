//! Accounts: the own record and those of others, profiles, and statuses.

mod address_changes;
mod bots;
mod bots_above;
mod bots_below;
mod create_user;
mod deactivate_own_user;
mod deactivate_user;
mod deactivate_user_actions;
mod get_own_user;
mod get_user;
mod get_user_status;
mod get_users;
mod guest_views;
mod hidden_senders;
mod hidden_users;
mod import_people;
mod look_alikes;
mod own_names;
mod passwords;
mod reactivate_user;
mod remove_own_profile;
mod role_change_view;
mod update_own_profile;
mod update_status;
mod update_status_of_user;
mod update_user;
mod update_user_access;

use rusqlite::params;
use serde_json::{Value, json};
use spindle_tests::{Server, User, unique};

/// Assigns a permission of the organization to a system group; for tests with their own server.
pub(crate) fn realm_permission(server: &Server, name: &str, group: &str) {
    let sql = "INSERT INTO group_settings (realm_id, owner_type, owner_id, name, group_id)
         SELECT 1, 'realm', 1, ?1, id FROM user_groups WHERE name = ?2
         ON CONFLICT (owner_type, owner_id, name) DO UPDATE SET group_id = excluded.group_id";
    let changed = server.database().execute(sql, params![name, group]);
    assert_eq!(changed, Ok(1));
}

/// A generic bot with an owner.
pub(crate) fn bot_of(server: &Server, owner: &User) -> User {
    let bot = server.bot();
    let sql = "UPDATE users SET bot_owner_id = ?1 WHERE id = ?2";
    let changed = server
        .database()
        .execute(sql, params![owner.user_id, bot.user_id]);
    assert_eq!(changed, Ok(1));
    bot
}

/// Grants a special permission.
pub(crate) fn grant(server: &Server, user: &User, permission: &str) {
    let words = ["user", "grant", "--email", &user.email];
    server.admin(&[&words[..], &["--permission", permission]].concat());
}

/// A profile field of a type, with a unique name; returns its id.
pub(crate) fn field(server: &Server, field_type: i64, more: &[(&str, &str)]) -> i64 {
    let name = unique("Field ");
    let number = field_type.to_string();
    let mut pairs = vec![("name", name.as_str()), ("field_type", number.as_str())];
    pairs.extend(more);
    let admin = server.user("administrator");
    let made = admin.post("/realm/profile_fields", &pairs).ok();
    made["id"].as_i64().expect("id")
}

/// The value of one field as a parameter.
pub(crate) fn entry(field: i64, value: impl Into<Value>) -> String {
    json!([{"id": field, "value": value.into()}]).to_string()
}

/// The profile of a user as another user sees it.
#[track_caller]
pub(crate) fn profile(viewer: &User, user: &User) -> Value {
    let pairs = [("include_custom_profile_fields", "true")];
    let body = viewer.get(&format!("/users/{}", user.id()), &pairs).ok();
    body["user"]["profile_data"].clone()
}

/// One user object as GET /users/{user_id} returns it.
#[track_caller]
pub(crate) fn shown(viewer: &User, user: &User) -> Value {
    viewer.get(&format!("/users/{}", user.id()), &[]).ok()["user"].clone()
}

/// Events of a queue without their ids.
pub(crate) fn bare(mut events: Vec<Value>) -> Vec<Value> {
    for event in &mut events {
        event.as_object_mut().expect("an event").remove("id");
    }
    events
}
