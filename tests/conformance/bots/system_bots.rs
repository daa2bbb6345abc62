//! System bots: their records, that account operations cannot change them, and direct messages to
//! them.

use serde_json::{Value, json};
use spindle_tests::Call;

use super::messages;
use crate::support::{keys, server};

fn system_bots() -> Vec<Value> {
    let pairs = [
        ("event_types", "[]"),
        ("fetch_event_types", "[\"realm_user\"]"),
    ];
    let body = server().user("member").post("/register", &pairs).ok();
    body["cross_realm_bots"].as_array().unwrap().clone()
}

#[test]
fn system_bots_are_complete_user_objects() {
    let bots = system_bots();
    let names: Vec<&str> = bots
        .iter()
        .map(|bot| bot["full_name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["Notification Bot", "Welcome Bot", "Email Gateway"]);
    for bot in &bots {
        assert_eq!(
            keys(bot),
            [
                "avatar_url",
                "avatar_version",
                "bot_owner_id",
                "bot_type",
                "date_joined",
                "delivery_email",
                "email",
                "full_name",
                "is_admin",
                "is_bot",
                "is_guest",
                "is_imported_stub",
                "is_owner",
                "is_system_bot",
                "role",
                "timezone",
                "user_id",
            ]
        );
        assert_eq!(
            (&bot["is_bot"], &bot["is_system_bot"]),
            (&json!(true), &json!(true))
        );
        assert_eq!(bot["bot_owner_id"], Value::Null);
    }
}

#[test]
fn account_operations_refuse_system_bots() {
    let owner = server().user("owner");
    for bot in system_bots() {
        let id = bot["user_id"].as_i64().unwrap();
        for path in [format!("/users/{id}"), format!("/bots/{id}")] {
            owner.send(Call::new("DELETE", &path)).bad_request();
            owner
                .patch(&path, &[("full_name", "Another Name")])
                .bad_request();
        }
        owner.get(&format!("/users/{id}"), &[]).bad_request();
        let regenerate = format!("/bots/{id}/api_key/regenerate");
        owner.post(&regenerate, &[]).bad_request();
        let listed = owner.get("/users", &[]).ok();
        let members = listed["members"].as_array().unwrap();
        assert!(members.iter().all(|member| member["user_id"] != id));
    }
    assert_eq!(server().admin(&["check"])["findings"], json!([]));
}

/// Messages are addressed by id and by e-mail address, and both find the conversation.
#[test]
fn users_may_send_messages_to_system_bots() {
    let guest = server().user("guest");
    for bot in system_bots() {
        let (id, email) = (bot["user_id"].to_string(), bot["email"].as_str().unwrap());
        for to in [format!("[{id}]"), email.to_owned()] {
            let pairs = [
                ("type", "direct"),
                ("to", to.as_str()),
                ("content", "hello"),
            ];
            guest.post("/messages", &pairs).ok();
        }
        let by_email = messages(&guest, &json!([["dm", email]]).to_string());
        assert_eq!(by_email.len(), 2);
        let people = by_email[0]["display_recipient"].as_array().unwrap();
        assert!(people.iter().any(|person| person["email"] == email));
    }
}
