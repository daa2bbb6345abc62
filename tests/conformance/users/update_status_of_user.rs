//! POST /users/{user_id}/status (FL 407; docs/protocol/presence.md#update_status_of_user).

use serde_json::{Value, json};
use spindle_tests::{Queue, User};

use crate::support::{server, settle_with_statuses};

fn path(user: &User) -> String {
    format!("/users/{}/status", user.id())
}

fn status(user: &User) -> Value {
    user.get(&path(user), &[]).ok()["status"].clone()
}

#[test]
fn an_administrator_sets_the_status_of_others() {
    let admin = server().user("administrator");
    let user = server().user("guest");
    let mut queue = Queue::of(&user, &["user_status"]);
    let pairs = [("status_text", " on leave "), ("emoji_name", "car")];
    admin.post(&path(&user), &pairs).ok();
    let expected = json!({"status_text": "on leave", "emoji_name": "car", "emoji_code": "1f697",
        "reaction_type": "unicode_emoji"});
    assert_eq!(status(&user), expected);
    let events = settle_with_statuses(&mut queue);
    let event = events
        .iter()
        .find(|event| event["user_id"] == user.user_id)
        .unwrap();
    assert_eq!(event["status_text"], "on leave");
    admin
        .post(&path(&user), &[("status_text", ""), ("emoji_name", "")])
        .ok();
    assert_eq!(status(&user), json!({}));
    // The own status can be set in this way too.
    admin.post(&path(&admin), &[("status_text", "mine")]).ok();
    assert_eq!(status(&admin)["status_text"], "mine");
}

#[test]
fn other_roles_are_refused_even_for_themselves() {
    let user = server().user("member");
    for role in ["moderator", "member", "guest"] {
        let caller = server().user(role);
        for target in [&user, &caller] {
            caller
                .post(&path(target), &[("status_text", "x")])
                .error(400, "UNAUTHORIZED_PRINCIPAL");
        }
        // The role is checked before the parameters.
        caller
            .post(&path(&user), &[])
            .error(400, "UNAUTHORIZED_PRINCIPAL");
    }
    assert_eq!(status(&user), json!({}));
}

#[test]
fn only_active_human_users_have_a_status() {
    let admin = server().user("administrator");
    let (bot, gone) = (server().bot(), server().user("member"));
    server().admin(&["user", "deactivate", "--email", &gone.email]);
    let pairs = [("status_text", "x")];
    let missing = admin.post("/users/999999/status", &pairs).bad_request();
    for target in [&bot, &gone] {
        assert_eq!(admin.post(&path(target), &pairs).bad_request(), missing);
    }
}

#[test]
fn the_parameters_are_those_of_the_own_status() {
    let admin = server().user("administrator");
    let user = server().user("member");
    let long = "é".repeat(61);
    for pairs in [
        vec![],
        vec![("status_text", long.as_str())],
        vec![("emoji_code", "1f697")],
        vec![("emoji_name", "no_such_emoji")],
    ] {
        admin.post(&path(&user), &pairs).bad_request();
    }
    assert_eq!(status(&user), json!({}));
}
