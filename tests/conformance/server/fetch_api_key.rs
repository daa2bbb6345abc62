//! POST /fetch_api_key (docs/protocol/sessions.md#fetch_api_key) and the first sign-in
//! (docs/protocol/conventions.md#authentication, `date_joined`).

use spindle_tests::{Call, Client, Queue, User, until_the_next_second};

use crate::support::{keys, server};

const PASSWORD: &str = "correct horse battery staple";

fn with_password(role: &str) -> User {
    server().user_with(role, &["--password", PASSWORD])
}

fn fetch(user: &str, password: &str) -> spindle_tests::Reply {
    let pairs = [("username", user), ("password", password)];
    server().anonymous().post("/fetch_api_key", &pairs)
}

#[test]
fn the_right_password_returns_a_valid_key() {
    let user = with_password("member");
    let body = fetch(&user.email, PASSWORD).ok();
    assert_eq!(
        keys(&body),
        ["api_key", "email", "msg", "result", "user_id"]
    );
    assert_eq!(body["user_id"], user.user_id);
    let key = body["api_key"].as_str().unwrap();
    assert!(
        key.len() == 32 && key.chars().all(|sign| sign.is_ascii_alphanumeric()),
        "{key}"
    );
    let email = body["email"].as_str().unwrap();
    let client = Client::new(server().base_url(), Some((email, key)));
    assert_eq!(client.get("/users/me", &[]).ok()["user_id"], user.user_id);
}

#[test]
fn fetching_a_key_accepts_multipart_and_any_case_and_ignores_authorization() {
    let user = with_password("member");
    let upper = user.email.to_uppercase();
    let pairs = [("username", upper.as_str()), ("password", PASSWORD)];
    server()
        .anonymous()
        .send(Call::new("POST", "/fetch_api_key").multipart(&pairs))
        .ok();
    let base = server().base_url();
    Client::new(base, Some(("x", "y")))
        .post("/fetch_api_key", &pairs)
        .ok();
}

/// The answer does not reveal whether the account exists or the password is wrong.
#[test]
fn wrong_passwords_and_unknown_accounts_look_the_same() {
    let user = with_password("member");
    let wrong = fetch(&user.email, "wrong").error(401, "AUTHENTICATION_FAILED");
    let unknown = fetch("nobody@example.com", PASSWORD).error(401, "AUTHENTICATION_FAILED");
    assert_eq!(wrong, unknown);
    assert_eq!(keys(&wrong), ["code", "msg", "result"]);
    let without = server().user("member");
    let none = fetch(&without.email, "").error(401, "AUTHENTICATION_FAILED");
    assert_eq!(none, wrong);
}

#[test]
fn missing_parameters_are_named() {
    let anonymous = server().anonymous();
    let error = anonymous
        .post("/fetch_api_key", &[("username", "x")])
        .error(400, "REQUEST_VARIABLE_MISSING");
    assert_eq!(error["var_name"], "password");
    let error = anonymous
        .post("/fetch_api_key", &[("password", "x")])
        .error(400, "REQUEST_VARIABLE_MISSING");
    assert_eq!(error["var_name"], "username");
}

#[test]
fn a_deactivated_account_is_disclosed_only_with_its_password() {
    let user = with_password("member");
    server().admin(&["user", "deactivate", "--email", &user.email]);
    fetch(&user.email, PASSWORD).error(401, "USER_DEACTIVATED");
    fetch(&user.email, "wrong").error(401, "AUTHENTICATION_FAILED");
}

/// The first sign-in sets `date_joined` once, and other users receive it.
#[test]
fn the_first_sign_in_sets_date_joined() {
    let watcher = server().user("member");
    let user = with_password("member");
    let created = date_joined(&user);
    let sql = "SELECT date_joined FROM users WHERE id = ?1";
    let joined: i64 = server()
        .database()
        .query_row(sql, [user.user_id], |row| row.get(0))
        .unwrap();
    let now = spindle_tests::unix_now();
    assert!(
        (now - joined).abs() < 60,
        "the account was created at {created}"
    );
    until_the_next_second();
    let mut queue = Queue::of(&watcher, &["realm_user", "user_status"]);
    let body = fetch(&user.email, PASSWORD).ok();
    let key = body["api_key"].as_str().unwrap().to_owned();
    let client = Client::new(server().base_url(), Some((&user.email, &key)));
    let joined = client.get("/users/me", &[]).ok()["date_joined"].clone();
    assert_ne!(joined, created, "the first sign-in sets date_joined");
    let event = queue.expect(|event| {
        event["person"]["user_id"] == user.user_id && event["person"].get("date_joined").is_some()
    });
    assert_eq!(event["op"], "update");
    assert_eq!(event["person"]["date_joined"], joined);

    until_the_next_second();
    let body = fetch(&user.email, PASSWORD).ok();
    let key = body["api_key"].as_str().unwrap().to_owned();
    let client = Client::new(server().base_url(), Some((&user.email, &key)));
    assert_eq!(
        client.get("/users/me", &[]).ok()["date_joined"],
        joined,
        "the second does not"
    );
}

#[test]
fn an_imported_stub_becomes_a_regular_account_at_its_first_sign_in() {
    let watcher = server().user("member");
    let stub = server().user_with("member", &["--imported-stub", "--password", PASSWORD]);
    let people = watcher
        .post("/register", &[("fetch_event_types", "[\"realm_user\"]")])
        .ok();
    let person = people["realm_users"]
        .as_array()
        .unwrap()
        .iter()
        .find(|person| person["user_id"] == stub.user_id)
        .expect("stubs are listed");
    assert_eq!(person["is_imported_stub"], true);
    let mut queue = Queue::of(&watcher, &["realm_user"]);
    let body = fetch(&stub.email, PASSWORD).ok();
    let event = queue.expect(|event| {
        event["person"]["user_id"] == stub.user_id
            && event["person"].get("is_imported_stub").is_some()
    });
    assert_eq!(event["person"]["is_imported_stub"], false);
    let key = body["api_key"].as_str().unwrap();
    let client = Client::new(server().base_url(), Some((&stub.email, key)));
    assert_eq!(client.get("/users/me", &[]).ok()["is_imported_stub"], false);
}

/// The account as others see it, without signing in.
fn date_joined(user: &User) -> serde_json::Value {
    let watcher = server().user("member");
    let state = watcher
        .post("/register", &[("fetch_event_types", "[\"realm_user\"]")])
        .ok();
    state["realm_users"]
        .as_array()
        .unwrap()
        .iter()
        .find(|person| person["user_id"] == user.user_id)
        .expect("listed")["date_joined"]
        .clone()
}
