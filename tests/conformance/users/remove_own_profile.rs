//! DELETE /users/me/profile_data (docs/protocol/users.md#remove_own_profile). Read-only fields and
//! bots are tested in `update_own_profile.rs`.

use serde_json::{Value, json};
use spindle_tests::Queue;

use super::{entry, field, profile};
use crate::support::server;

const PATH: &str = "/users/me/profile_data";

#[test]
fn values_are_deleted_and_the_change_is_broadcast() {
    let (user, watcher) = (server().user("member"), server().user("member"));
    let (one, other) = (field(server(), 1, &[]), field(server(), 8, &[]));
    for number in [one, other] {
        user.patch(PATH, &[("data", &entry(number, "x"))]).ok();
    }
    let mut queue = Queue::of(&watcher, &["realm_user"]);
    // Deleting a missing value is not an error, and sends no event.
    let data = format!("[{one}, {one}]");
    user.delete(PATH, &[("data", &data)]).ok();
    let event = queue.expect(|event| event["person"]["user_id"] == user.user_id);
    assert_eq!(
        event["person"]["custom_profile_field"],
        json!({"id": one, "value": null})
    );
    assert!(
        queue
            .poll()
            .iter()
            .all(|event| event["person"]["user_id"] != user.user_id)
    );
    assert_eq!(
        profile(&watcher, &user),
        json!({other.to_string(): {"value": "x"}})
    );
}

#[test]
fn unknown_fields_are_errors_and_change_nothing() {
    let user = server().user("member");
    let number = field(server(), 8, &[]);
    user.patch(PATH, &[("data", &entry(number, "x"))]).ok();
    let data = format!("[{number}, 999999]");
    user.delete(PATH, &[("data", &data)]).bad_request();
    user.delete(PATH, &[])
        .error(400, "REQUEST_VARIABLE_MISSING");
    user.delete(PATH, &[("data", "5")]).bad_request();
    let own: Value = user.get("/users/me", &[]).ok()["profile_data"].clone();
    assert_eq!(own[number.to_string()]["value"], "x");
    // Also in the query string, as clients send DELETE.
    let call = spindle_tests::Call::new("DELETE", PATH).query(&[("data", &format!("[{number}]"))]);
    user.send(call).ok();
    assert_eq!(user.get("/users/me", &[]).ok()["profile_data"], json!({}));
}
