//! PATCH /settings with target_users (FL 444), and the defaults of new accounts.

use serde_json::{Value, json};
use spindle_tests::{Options, Queue, Server, User};

use super::{section, without_ids};
use crate::support::{server, settle};

const PATH: &str = "/settings";

fn setting(user: &User, name: &str) -> Value {
    section(user, "user_settings")["user_settings"][name].clone()
}

fn targets(users: &[&User], skip: bool) -> String {
    let ids: Vec<i64> = users.iter().map(|user| user.user_id).collect();
    json!({"user_ids": ids, "skip_if_already_edited": skip}).to_string()
}

#[test]
fn administrators_change_settings_of_many() {
    let admin = server().user("administrator");
    let (one, other) = (server().user("member"), server().user("guest"));
    one.patch(PATH, &[("color_scheme", "3")]).ok();
    let mut queue = Queue::of(&one, &["user_settings", "user_status"]);
    let both = [&one, &other];
    let pairs = [
        ("target_users", &targets(&both, true)[..]),
        ("color_scheme", "2"),
        ("enter_sends", "true"),
    ];
    admin.patch(PATH, &pairs).ok();
    assert_eq!(setting(&one, "color_scheme"), 3, "they chose it themselves");
    assert_eq!(setting(&other, "color_scheme"), 2);
    assert_eq!(setting(&one, "enter_sends"), true);
    assert_eq!(setting(&admin, "enter_sends"), false);
    let events = without_ids(settle(&mut queue));
    assert_eq!(
        events,
        [
            json!({"type": "user_settings", "op": "update", "property": "enter_sends",
                "value": true})
        ]
    );
    let pairs = [
        ("target_users", &targets(&both, false)[..]),
        ("color_scheme", "1"),
    ];
    admin.patch(PATH, &pairs).ok();
    assert_eq!(setting(&one, "color_scheme"), 1);
}

#[test]
fn target_users_may_be_given_by_group() {
    let server = Server::start(Options::default());
    let (admin, moderator, guest) = (
        server.user("administrator"),
        server.user("moderator"),
        server.user("guest"),
    );
    let state = section(&admin, "realm_user_groups");
    let groups = state["realm_user_groups"].as_array().unwrap();
    let group = groups.iter().find(|group| group["name"] == "role:members");
    let targets =
        json!({"group_ids": [group.unwrap()["id"]], "skip_if_already_edited": false}).to_string();
    let pairs = [("target_users", targets.as_str()), ("enter_sends", "true")];
    admin.patch(PATH, &pairs).ok();
    assert_eq!(setting(&moderator, "enter_sends"), true);
    assert_eq!(setting(&guest, "enter_sends"), false);
}

#[test]
fn invalid_target_users_are_refused() {
    let (admin, user) = (server().user("administrator"), server().user("moderator"));
    let other = server().user("member");
    let targets = targets(&[&other], false);
    let named = ("target_users", targets.as_str());
    user.patch(PATH, &[named, ("enter_sends", "true")])
        .error(400, "UNAUTHORIZED_PRINCIPAL");
    for (name, value) in [
        ("full_name", "New Name"),
        ("email", "new@example.com"),
        ("new_password", "long enough 1"),
        ("allow_private_data_export", "true"),
        ("email_address_visibility", "2"),
        ("enable_digest_emails", "false"),
        ("enable_login_emails", "false"),
        ("enable_marketing_emails", "true"),
        ("presence_enabled", "false"),
        ("send_private_typing_notifications", "false"),
        ("send_read_receipts", "false"),
        ("send_stream_typing_notifications", "false"),
    ] {
        admin
            .patch(PATH, &[named, ("enter_sends", "true"), (name, value)])
            .bad_request();
    }
    let bot = server().bot();
    for wrong in [
        r#"{"skip_if_already_edited": true}"#.to_owned(),
        r#"{"user_ids": [], "group_ids": [], "skip_if_already_edited": true}"#.to_owned(),
        format!(r#"{{"user_ids": [{}]}}"#, other.user_id),
        format!(
            r#"{{"user_ids": [{}, 999999999], "skip_if_already_edited": false}}"#,
            other.user_id
        ),
        format!(
            r#"{{"user_ids": [{}], "skip_if_already_edited": false}}"#,
            bot.user_id
        ),
        r#"{"group_ids": [999999999], "skip_if_already_edited": false}"#.to_owned(),
        "[]".to_owned(),
    ] {
        admin
            .patch(PATH, &[("target_users", &wrong), ("enter_sends", "true")])
            .bad_request();
    }
    assert_eq!(setting(&other, "enter_sends"), false);
}

/// A server of its own, because the defaults apply to all new accounts.
#[test]
fn new_accounts_have_the_default_settings_of_the_organization() {
    let server = Server::start(Options::default());
    let (admin, member) = (server.user("administrator"), server.user("member"));
    let path = "/realm/user_settings_defaults";
    let mut queue = Queue::of(&member, &["realm_user_settings_defaults"]);
    member
        .patch(path, &[("enter_sends", "true")])
        .error(400, "UNAUTHORIZED_PRINCIPAL");
    admin.patch(path, &[("color_scheme", "7")]).bad_request();
    let pairs = [
        ("enter_sends", "true"),
        ("color_scheme", "2"),
        ("email_address_visibility", "4"),
        ("timezone", "Asia/Tokyo"),
    ];
    let reply = admin.patch(path, &pairs);
    assert_eq!(reply.ignored(), ["timezone"]);
    reply.ok();
    admin.patch(path, &[("enter_sends", "true")]).ok();
    let events = without_ids(queue.until(|event| event["property"] == "enter_sends"));
    let update = |property: &str, value: Value| json!({"type": "realm_user_settings_defaults", "op": "update", "property": property, "value": value});
    assert_eq!(
        events,
        [
            update("color_scheme", json!(2)),
            update("email_address_visibility", json!(4)),
            update("enter_sends", json!(true)),
        ]
    );
    let shown = section(&member, "realm_user_settings_defaults");
    let shown = &shown["realm_user_settings_defaults"];
    assert_eq!(shown["color_scheme"], 2);
    assert!(shown.get("timezone").is_none());
    assert_eq!(
        setting(&member, "color_scheme"),
        1,
        "existing accounts keep theirs"
    );
    let new = server.user("guest");
    assert_eq!(setting(&new, "color_scheme"), 2);
    assert_eq!(setting(&new, "enter_sends"), true);
    assert_eq!(new.email, format!("user{}@hidden.invalid", new.user_id));
    let bot = server.bot();
    assert_eq!(setting(&bot, "color_scheme"), 1);
    assert!(bot.email.ends_with("@example.com"));
}
