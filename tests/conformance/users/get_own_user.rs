//! GET /users/me (docs/protocol/users.md#get_own_user).

use serde_json::json;

use crate::support::{keys, server};

#[test]
fn a_human_has_exactly_these_fields() {
    let user = server().user("member");
    let body = user.get("/users/me", &[]).ok();
    assert_eq!(
        keys(&body),
        [
            "avatar_url",
            "avatar_version",
            "date_joined",
            "delivery_email",
            "email",
            "full_name",
            "is_active",
            "is_admin",
            "is_bot",
            "is_guest",
            "is_imported_stub",
            "is_owner",
            "max_message_id",
            "msg",
            "profile_data",
            "result",
            "role",
            "timezone",
            "user_id",
        ]
    );
    assert_eq!(body["user_id"], user.user_id);
    assert_eq!(body["full_name"], user.full_name.as_str());
    assert_eq!(body["is_active"], true);
    assert_eq!(body["is_bot"], false);
    assert_eq!(body["is_imported_stub"], false);
    assert_eq!(body["profile_data"], json!({}));
    assert!(
        body["avatar_url"]
            .as_str()
            .is_some_and(|url| !url.is_empty())
    );
    assert!(body["avatar_version"].is_u64());
    assert!(body["timezone"].is_string());
    assert!(body["delivery_email"].as_str().unwrap().contains('@'));
}

#[test]
fn a_bot_has_its_type_and_owner_instead_of_profile_data() {
    let bot = server().bot();
    let body = bot.get("/users/me", &[]).ok();
    assert_eq!(body["is_bot"], true);
    assert_eq!(body["bot_type"], 1);
    assert!(body["bot_owner_id"].is_i64() || body["bot_owner_id"].is_null());
    assert!(body.get("bot_owner_id").is_some());
    assert!(body.get("profile_data").is_none());
}

#[test]
fn the_flags_follow_the_role() {
    for (role, number, is_owner, is_admin, is_guest) in [
        ("owner", 100, true, true, false),
        ("administrator", 200, false, true, false),
        ("moderator", 300, false, false, false),
        ("member", 400, false, false, false),
        ("guest", 600, false, false, true),
    ] {
        let body = server().user(role).get("/users/me", &[]).ok();
        assert_eq!(body["role"], number);
        assert_eq!(body["is_owner"], is_owner, "{role}");
        assert_eq!(body["is_admin"], is_admin, "{role}");
        assert_eq!(body["is_guest"], is_guest, "{role}");
    }
}

#[test]
fn the_time_zone_is_the_one_of_the_settings() {
    let user = server().user("member");
    user.patch("/settings", &[("timezone", "Asia/Tokyo")]).ok();
    assert_eq!(user.get("/users/me", &[]).ok()["timezone"], "Asia/Tokyo");
    user.patch("/settings", &[("timezone", "Tokyo")])
        .bad_request();
    assert_eq!(user.get("/users/me", &[]).ok()["timezone"], "Asia/Tokyo");
}

/// ISO 8601 with an offset.
#[test]
fn date_joined_is_a_time_with_offset() {
    let body = server().user("member").get("/users/me", &[]).ok();
    let text = body["date_joined"].as_str().unwrap();
    let (date, rest) = text.split_once('T').expect("a T between date and time");
    assert_eq!(
        date.split('-').map(str::len).collect::<Vec<_>>(),
        [4, 2, 2],
        "{text}"
    );
    let offset = rest
        .find(['+', 'Z', '-'])
        .unwrap_or_else(|| panic!("no offset in {text}"));
    assert!(rest[..offset].len() >= 5, "{text}");
}

/// -1 before the first message, then the newest received message, own ones included.
#[test]
fn max_message_id_is_the_last_message_received() {
    let user = server().user("member");
    let other = server().user("member");
    assert_eq!(user.get("/users/me", &[]).ok()["max_message_id"], -1);
    let to = format!("[{}]", user.id());
    let send = [("type", "direct"), ("to", to.as_str()), ("content", "x")];
    let id = other.post("/messages", &send).ok()["id"].clone();
    assert_eq!(user.get("/users/me", &[]).ok()["max_message_id"], id);
    assert_eq!(other.get("/users/me", &[]).ok()["max_message_id"], id);
}

#[test]
fn a_role_changed_by_the_operator_applies_at_once() {
    let user = server().user("member");
    user.get("/users/me", &[]).ok();
    server().admin(&[
        "user",
        "set-role",
        "--email",
        &user.email,
        "--role",
        "moderator",
    ]);
    assert_eq!(user.get("/users/me", &[]).ok()["role"], 300);
}

#[test]
fn a_deactivated_account_and_a_replaced_key_are_refused_at_once() {
    let user = server().user("member");
    user.get("/users/me", &[]).ok();
    let made = server().admin(&["user", "rotate-key", "--email", &user.email]);
    user.get("/users/me", &[]).error(401, "UNAUTHORIZED");
    let key = made["api_key"].as_str().expect("the new key");
    let client = spindle_tests::Client::new(user.base_url(), Some((&user.email, key)));
    client.get("/users/me", &[]).ok();
    server().admin(&["user", "deactivate", "--email", &user.email]);
    client.get("/users/me", &[]).error(401, "UNAUTHORIZED");
    server().admin(&["user", "reactivate", "--email", &user.email]);
}
