//! The second factor: setting it up, signing in with it, who must have one, and signing apps in
//! (docs/protocol/second-factor.md).

mod apps;
mod enrolling;
mod guessing;
mod links;
mod passkeys;
mod required;
mod resets;
mod session_length;
mod signing_in;

use spindle_tests::{Call, Phone, Reply, Server, User};

use crate::sessions::{Browser, PASSWORD, sign_in};

/// Sets the app of a person with a password up; returns it with the recovery codes.
#[track_caller]
pub(crate) fn enrol(user: &User) -> (Phone, Vec<String>) {
    let made = user
        .post("/second_factor/totp", &[("password", PASSWORD)])
        .ok();
    let mut phone = Phone::new(made["secret"].as_str().expect("a secret"));
    let codes = user
        .post("/second_factor/totp/confirm", &[("code", &phone.code())])
        .ok();
    (phone, texts(&codes["recovery_codes"]))
}

fn texts(list: &serde_json::Value) -> Vec<String> {
    let list = list.as_array().expect("a list").iter();
    list.map(|text| text.as_str().expect("a text").to_owned())
        .collect()
}

/// POST /sessions with a password and a code.
#[track_caller]
fn sign_in_with(server: &Server, user: &User, code: &str) -> Reply {
    let pairs = [
        ("username", user.email.as_str()),
        ("password", PASSWORD),
        ("second_factor", code),
    ];
    sign_in(server, &pairs)
}

/// POST /sessions with a password alone.
#[track_caller]
fn sign_in_without(server: &Server, user: &User) -> Reply {
    let pairs = [("username", user.email.as_str()), ("password", PASSWORD)];
    sign_in(server, &pairs)
}

/// GET /second_factor in a browser.
#[track_caller]
fn state(browser: &Browser) -> serde_json::Value {
    browser.get("/second_factor").ok()
}

fn post(path: &str, pairs: &[(&str, &str)]) -> Call {
    Call::new("POST", path).form(pairs)
}

fn audited(server: &Server, user: &User, like: &str) -> Vec<String> {
    let sql = "SELECT event_type FROM audit_log WHERE modified_user_id = ?1 AND event_type LIKE ?2 ORDER BY id";
    let rows = server
        .database()
        .rows(sql, (user.user_id, like), |row| row.get(0));
    rows.expect("entries")
}
