//! POST /users (docs/protocol/limits.md#text, docs/protocol/users.md#create_user).

use serde_json::{Value, json};
use spindle_tests::{Queue, Server, User, unique};

use super::{grant, shown};
use crate::support::server;

fn creator() -> User {
    let admin = server().user("administrator");
    grant(server(), &admin, "can_create_users");
    admin
}

fn form<'a>(email: &'a str, name: &'a str) -> [(&'a str, &'a str); 3] {
    [
        ("email", email),
        ("password", "a good password"),
        ("full_name", name),
    ]
}

#[test]
fn a_user_is_created_announced_and_can_sign_in() {
    let admin = creator();
    let guest = server().user("guest");
    let mut queue = Queue::of(&guest, &["realm_user", "user_group", "subscription"]);
    let email = format!("{}@example.com", unique("new"));
    let made = admin.post("/users", &form(&email, "  New Person ")).ok();
    let id = made["user_id"].as_i64().unwrap();
    let joins = |event: &Value| event["user_ids"] == json!([id]) && event["op"] == "add_members";
    let events = queue.until(joins);
    let is_new = |event: &&Value| event["person"]["user_id"] == id;
    let event = events.iter().find(is_new).expect("sent before the groups");
    assert_eq!(event["op"], "add");
    assert_eq!(event["person"]["full_name"], "New Person");
    assert_eq!(event["person"]["is_active"], true);
    assert_eq!(event["person"]["profile_data"], json!({}));
    let pairs = [
        ("username", email.as_str()),
        ("password", "a good password"),
    ];
    let login = server().anonymous().post("/fetch_api_key", &pairs).ok();
    assert_eq!(login["user_id"], id);
    let body = admin.get(&format!("/users/{email}"), &[]).ok();
    assert_eq!(body["user"]["role"], 400);
}

#[test]
fn creating_users_needs_the_special_permission() {
    let plain = server().user("owner");
    let email = format!("{}@example.com", unique("new"));
    plain
        .post("/users", &form(&email, "New Person"))
        .bad_request();
    let member = server().user("moderator");
    grant(server(), &member, "can_create_users");
    member
        .post("/users", &form(&email, "New Person"))
        .error(400, "UNAUTHORIZED_PRINCIPAL");
    member
        .post("/users", &[])
        .error(400, "UNAUTHORIZED_PRINCIPAL");
    // A bot may have the permission.
    let robot = server().user_with("administrator", &["--bot"]);
    grant(server(), &robot, "can_create_users");
    robot.post("/users", &form(&email, "New Person")).ok();
}

#[test]
fn parameters_are_read_in_order() {
    let admin = creator();
    for (pairs, missing) in [
        (vec![], "email"),
        (vec![("full_name", "x")], "email"),
        (vec![("email", "x")], "password"),
        (vec![("email", "x"), ("password", "x")], "full_name"),
    ] {
        let body = admin
            .post("/users", &pairs)
            .error(400, "REQUEST_VARIABLE_MISSING");
        assert_eq!(body["var_name"], missing);
    }
}

#[test]
fn invalid_values_create_no_account() {
    let admin = creator();
    let count = || {
        admin.get("/users", &[]).ok()["members"]
            .as_array()
            .unwrap()
            .len()
    };
    let taken = server().user("member");
    let long = "x".repeat(101);
    for (email, password, name) in [
        ("no address", "a good password", "New Person"),
        (taken.email.as_str(), "a good password", "New Person"),
        (&taken.email.to_uppercase(), "a good password", "New Person"),
        ("someone@example.com", "short", "New Person"),
        ("someone@example.com", "", "New Person"),
        ("someone@example.com", "a good password", "N"),
        ("someone@example.com", "a good password", long.as_str()),
        ("someone@example.com", "a good password", "a@b"),
        ("someone@example.com", "a good password", "Al|7"),
        ("someone@example.com", "a good password", ""),
    ] {
        let pairs = [
            ("email", email),
            ("password", password),
            ("full_name", name),
        ];
        admin.post("/users", &pairs).bad_request();
    }
    admin.get("/users/someone@example.com", &[]).bad_request();
    assert!(count() > 1);
}

#[test]
fn names_must_be_unique_if_the_organization_requires_it() {
    let server = Server::own(spindle_tests::Options::default());
    let admin = server.user("administrator");
    grant(&server, &admin, "can_create_users");
    admin
        .post("/users", &form("one@example.com", "Ann Ångström"))
        .ok();
    admin
        .post("/users", &form("two@example.com", "Ann Ångström"))
        .ok();
    let sql =
        "UPDATE realms SET settings = json_set(settings, '$.require_unique_names', json('true'))";
    server.database().execute(sql, []).unwrap();
    // Composed, decomposed, full-width and upper-case spellings count as equal.
    for name in [
        "Ann Ångström",
        "ANN A\u{30a}NGSTRO\u{308}M",
        "Ａnn Ångström",
    ] {
        admin
            .post("/users", &form("three@example.com", name))
            .bad_request();
    }
    admin.post("/users", &form("three@example.com", "Bob")).ok();
    let other = server.user("member");
    let path = format!("/users/{}", other.id());
    admin.patch(&path, &[("full_name", "BOB")]).bad_request();
    assert_eq!(shown(&admin, &other)["full_name"], other.full_name.as_str());
    // Another spelling of the own name is accepted.
    let upper = other.full_name.to_uppercase();
    admin.patch(&path, &[("full_name", &upper)]).ok();
}
