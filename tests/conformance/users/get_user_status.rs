//! GET /users/{user_id}/status (docs/protocol/presence.md#get_user_status).

use serde_json::json;
use spindle_tests::fixture;

use crate::support::{keys, server};

fn path(id: i64) -> String {
    format!("/users/{id}/status")
}

#[test]
fn without_a_status_the_answer_is_empty() {
    let user = server().user("member");
    let other = server().user("guest");
    let body = other.get(&path(user.user_id), &[]).ok();
    assert_eq!(keys(&body), ["msg", "result", "status"]);
    assert_eq!(body["status"], json!({}));
}

#[test]
fn only_set_fields_are_included() {
    let user = server().user("member");
    user.post("/users/me/status", &[("status_text", "busy")])
        .ok();
    let own = path(user.user_id);
    assert_eq!(
        user.get(&own, &[]).ok()["status"],
        json!({"status_text": "busy"})
    );
    user.post(
        "/users/me/status",
        &[("status_text", ""), ("emoji_name", "car")],
    )
    .ok();
    assert_eq!(
        user.get(&own, &[]).ok()["status"],
        json!({"emoji_name": "car", "emoji_code": "1f697", "reaction_type": "unicode_emoji"})
    );
}

#[test]
fn away_is_shown_only_while_presence_is_off() {
    let user = server().user("member");
    let own = path(user.user_id);
    user.post("/users/me/status", &[("away", "true")]).ok();
    assert_eq!(user.get(&own, &[]).ok()["status"], json!({"away": true}));
    user.post("/users/me/status", &[("away", "false")]).ok();
    assert_eq!(user.get(&own, &[]).ok()["status"], json!({}));
    fixture::user_setting(server(), &user, "presence_enabled", "false");
    assert_eq!(user.get(&own, &[]).ok()["status"], json!({"away": true}));
}

#[test]
fn bots_deactivated_and_unknown_users_are_refused_alike() {
    let user = server().user("member");
    let bot = server().bot();
    let gone = server().user("member");
    server().admin(&["user", "deactivate", "--email", &gone.email]);
    for id in [bot.user_id, gone.user_id, 99_999_999, i64::MAX] {
        user.get(&path(id), &[]).bad_request();
    }
    let beyond = spindle_tests::Call::new("GET", "/users/99999999999999999999999/status");
    let reply = user.try_send(&beyond).expect("an answer");
    assert!(matches!(reply.status, 400 | 404), "{}", reply.status);
    assert_eq!(reply.body["code"], "BAD_REQUEST");
}

#[test]
fn a_bot_may_read() {
    let user = server().user("member");
    server().bot().get(&path(user.user_id), &[]).ok();
}
