//! POST /second_factor/passkeys, POST /second_factor/passkeys/confirm, DELETE /second_factor/passkeys/{passkey_id} and
//! POST /passkey_challenges, on a server whose address has a name.

use std::sync::LazyLock;

use serde_json::{Value, json};
use spindle_tests::{Call, Options, Reply, SecurityKey, Server, User};

use super::{audited, enrol, post, sign_in_with, sign_in_without, state, texts};
use crate::sessions::{Browser, PASSWORD, sign_in, with_password};
use crate::support::server;

const SITE: &str = "https://chat.example.org";

/// The server of these tests.
fn named() -> &'static Server {
    static SERVER: LazyLock<Server> = LazyLock::new(|| {
        Server::spawn(Options {
            extra: ["--external-url", SITE].map(str::to_owned).to_vec(),
            ..Options::default()
        })
    });
    &SERVER
}

#[track_caller]
fn begin(user: &User) -> Value {
    user.post("/second_factor/passkeys", &[("password", PASSWORD)])
        .ok()
}

#[track_caller]
fn confirm(user: &User, begun: &Value, credential: &str, name: &str) -> Reply {
    let pairs = [
        ("state", begun["state"].as_str().expect("a state")),
        ("credential", credential),
        ("name", name),
    ];
    user.post("/second_factor/passkeys/confirm", &pairs)
}

/// Makes a passkey; returns its device, its id and the recovery codes.
#[track_caller]
fn add(user: &User) -> (SecurityKey, i64, Vec<String>) {
    let mut device = SecurityKey::new(SITE, &user.email);
    let begun = begin(user);
    let credential = device.register(&begun["options"]);
    let made = confirm(user, &begun, &credential, "laptop").ok();
    let id = made["id"].as_i64().expect("an id");
    (device, id, texts(&made["recovery_codes"]))
}

#[track_caller]
fn challenge() -> Value {
    named()
        .anonymous()
        .send(Call::new("POST", "/passkey_challenges"))
        .ok()
}

#[track_caller]
fn sign_in_alone(answer: &str) -> Reply {
    sign_in(named(), &[("passkey", answer)])
}

/// Challenges of one second count as one; a test that needs a later one lets the passkey be older.
fn age_last_use(user: &User) {
    let sql = "UPDATE passkeys SET last_challenge = last_challenge - 10 WHERE user_id = ?1";
    let database = named().database();
    database.execute(sql, [user.user_id]).expect("a passkey");
}

#[track_caller]
fn remove(user: &User, id: i64, code: &str) -> Reply {
    let path = format!("/second_factor/passkeys/{id}");
    user.delete(&path, &[("code", code)])
}

#[test]
fn a_passkey_signs_in_alone() {
    let user = with_password(named());
    let browser = Browser::of(named(), &user);
    assert_eq!(state(&browser)["passkeys"], json!([]));
    assert_eq!(state(&browser)["can_have_passkeys"], true);
    let refused = |pairs: &[(&str, &str)]| {
        user.post("/second_factor/passkeys", pairs).bad_request();
    };
    refused(&[]);
    refused(&[("password", "another")]);
    let (mut device, id, codes) = add(&user);
    assert_eq!(codes.len(), 10);
    let listed = &state(&browser)["passkeys"];
    assert_eq!(listed.as_array().expect("a list").len(), 1);
    let one = &listed[0];
    assert_eq!(one["id"], id);
    assert_eq!(
        (&one["name"], &one["host"]),
        (&json!("laptop"), &json!("chat.example.org"))
    );
    assert_eq!(
        (&one["is_usable"], &one["last_used"]),
        (&json!(true), &Value::Null)
    );
    let answer = device.answer(&challenge());
    let signed_in = sign_in_alone(&answer);
    let mut alone = Browser::from(named(), signed_in);
    assert!(alone.is_signed_in());
    assert!(state(&alone)["passkeys"][0]["last_used"].is_i64());
    // An answer works once.
    sign_in_alone(&answer).error(401, "INVALID_SECOND_FACTOR");
    age_last_use(&user);
    alone = Browser::from(named(), sign_in_alone(&device.answer(&challenge())));
    assert!(alone.is_signed_in());
    // It is a second factor.
    sign_in_without(named(), &user).error(401, "SECOND_FACTOR_REQUIRED");
    sign_in_with(named(), &user, &codes[0]).ok();
    assert_eq!(
        audited(named(), &user, "user_passkey%"),
        ["user_passkey_added"]
    );
}

#[test]
fn wrong_answers_are_refused() {
    let user = with_password(named());
    let (device, ..) = add(&user);
    let refused = |change: &dyn Fn(&mut SecurityKey)| {
        let mut device = device.clone();
        change(&mut device);
        let answer = device.answer(&challenge());
        sign_in_alone(&answer).error(401, "INVALID_SECOND_FACTOR");
    };
    refused(&|device| device.origin = "https://evil.example".to_owned());
    refused(&|device| device.origin = "http://chat.example.org".to_owned());
    refused(&|device| device.host = "evil.example".to_owned());
    refused(&|device| device.verifies = false);
    refused(&|device| *device = SecurityKey::new(SITE, "unknown"));
    // The challenge of another answer, another state, and no state at all.
    let mut answer: Value =
        serde_json::from_str(&device.clone().answer(&challenge())).expect("JSON");
    answer["state"] = challenge()["state"].clone();
    sign_in_alone(&answer.to_string()).error(401, "INVALID_SECOND_FACTOR");
    for state in ["", "x", "AAAA"] {
        answer["state"] = json!(state);
        sign_in_alone(&answer.to_string()).error(401, "INVALID_SECOND_FACTOR");
    }
    for text in ["{}", "x", "[1]", "{\"state\": 1}"] {
        sign_in_alone(text).error(401, "INVALID_SECOND_FACTOR");
    }
    let answered = device.clone().answer(&challenge());
    let signed: Value = serde_json::from_str(&answered).expect("JSON");
    let signed = signed["state"].as_str().expect("a state");
    let forged = answered.replace(signed, &format!("{}A", &signed[1..]));
    sign_in_alone(&forged).error(401, "INVALID_SECOND_FACTOR");
    // The state of a new passkey is none of an answer.
    answer["state"] = begin(&user)["state"].clone();
    sign_in_alone(&answer.to_string()).error(401, "INVALID_SECOND_FACTOR");
    // A copy of the device is noticed by its counter.
    let mut original = device.clone();
    original.counter = 40;
    sign_in_alone(&original.answer(&challenge())).ok();
    age_last_use(&user);
    refused(&|device| device.counter = 7);
    sign_in(named(), &[("passkey", "x"), ("username", "y")]).bad_request();
    sign_in(named(), &[("passkey", "x"), ("sign_in_token", "y")]).bad_request();
}

#[test]
fn a_passkey_takes_the_place_of_a_code() {
    let user = with_password(named());
    let (mut device, id, codes) = add(&user);
    let (mut phone, none) = enrol(&user);
    // The recovery codes stay.
    assert!(none.is_empty());
    sign_in_with(named(), &user, &device.answer(&challenge())).ok();
    let (mut foreign, ..) = add(&with_password(named()));
    let answer = foreign.answer(&challenge());
    sign_in_with(named(), &user, &answer).error(401, "INVALID_SECOND_FACTOR");
    // The one whose answer it is can still use it.
    sign_in_alone(&answer).ok();
    age_last_use(&user);
    let renewed = user.post(
        "/second_factor/recovery_codes",
        &[("code", &device.answer(&challenge()))],
    );
    let fresh = texts(&renewed.ok()["recovery_codes"]);
    sign_in_with(named(), &user, &codes[0]).error(401, "INVALID_SECOND_FACTOR");
    // The app goes; the passkey is left, and so are the codes.
    user.delete("/second_factor/totp", &[("code", &phone.code())])
        .ok();
    sign_in_with(named(), &user, &fresh[0]).ok();
    remove(&user, id + 1_000_000, &fresh[1]).error(404, "BAD_REQUEST");
    remove(&user, id, "").error(401, "SECOND_FACTOR_REQUIRED");
    remove(&user, id, "ABCD").error(401, "INVALID_SECOND_FACTOR");
    age_last_use(&user);
    remove(&user, id, &device.answer(&challenge())).ok();
    sign_in_without(named(), &user).ok();
    sign_in_alone(&device.answer(&challenge())).error(401, "INVALID_SECOND_FACTOR");
    assert_eq!(
        audited(named(), &user, "user_passkey%"),
        ["user_passkey_added", "user_passkey_removed"]
    );
}

#[test]
fn what_a_device_sends_is_checked() {
    let user = with_password(named());
    let other = with_password(named());
    let mut device = SecurityKey::new(SITE, "checked");
    let begun = begin(&user);
    let credential = device.register(&begun["options"]);
    let options = &begun["options"];
    assert_eq!(options["rp"]["id"], "chat.example.org");
    assert_eq!(options["authenticatorSelection"]["residentKey"], "required");
    assert_eq!(
        options["authenticatorSelection"]["userVerification"],
        "required"
    );
    // Another person, other texts.
    confirm(&other, &begun, &credential, "laptop").bad_request();
    for wrong in ["", "{}", "x"] {
        confirm(&user, &begun, wrong, "laptop").bad_request();
    }
    let long = "x".repeat(61);
    for name in ["", " ", long.as_str()] {
        confirm(&user, &begun, &credential, name).bad_request();
    }
    confirm(&user, &json!({"state": "x"}), &credential, "laptop").bad_request();
    confirm(&user, &challenge(), &credential, "laptop").bad_request();
    for change in [
        |device: &mut SecurityKey| device.origin = "https://evil.example".to_owned(),
        |device: &mut SecurityKey| device.host = "evil.example".to_owned(),
        |device: &mut SecurityKey| device.verifies = false,
    ] {
        let mut wrong = device.clone();
        change(&mut wrong);
        confirm(&user, &begun, &wrong.register(options), "laptop").bad_request();
    }
    confirm(&user, &begun, &credential, "laptop").ok();
    // A credential has one account, and its device learns about those that are known.
    let again = begin(&user);
    let excluded = &again["options"]["excludeCredentials"];
    assert_eq!(excluded.as_array().expect("a list").len(), 1);
    let credential = device.register(&again["options"]);
    confirm(&user, &again, &credential, "again").bad_request();
    let begun = begin(&other);
    let credential = device.register(&begun["options"]);
    confirm(&other, &begun, &credential, "stolen").bad_request();
}

/// A passkey is valid for the host for which it was made.
#[test]
fn after_a_change_of_the_address_passkeys_are_refused_with_the_reason() {
    let user = with_password(named());
    let browser = Browser::of(named(), &user);
    let (mut device, ..) = add(&user);
    let sql = "UPDATE passkeys SET rp_id = 'old.example.org' WHERE user_id = ?1";
    let database = named().database();
    database.execute(sql, [user.user_id]).expect("a passkey");
    let refused = sign_in_alone(&device.answer(&challenge())).bad_request();
    let text = refused["msg"].as_str().expect("a text");
    assert!(text.contains("old.example.org"), "{text}");
    let listed = &state(&browser)["passkeys"][0];
    assert_eq!(listed["is_usable"], false);
    assert_eq!(listed["host"], "old.example.org");
}

#[test]
fn an_address_without_a_name_has_no_passkeys() {
    let user = with_password(server());
    let browser = Browser::of(server(), &user);
    assert_eq!(state(&browser)["can_have_passkeys"], false);
    let refused = browser.call(post("/second_factor/passkeys", &[("password", PASSWORD)]));
    refused.bad_request();
    let anonymous = server().anonymous();
    anonymous
        .send(post("/passkey_challenges", &[]))
        .bad_request();
    let settings = anonymous.send(Call::new("GET", "/server_settings")).ok();
    assert_eq!(settings["authentication_methods"]["passkey"], false);
}

/// On a server of its own, since it is about the organization.
#[test]
fn owners_switch_the_way_off() {
    let server = Server::spawn(Options {
        extra: ["--external-url", SITE].map(str::to_owned).to_vec(),
        ..Options::default()
    });
    let owner = server.user_with("owner", &["--password", PASSWORD]);
    let mut device = SecurityKey::new(SITE, "owner");
    let begun = begin(&owner);
    let credential = device.register(&begun["options"]);
    confirm(&owner, &begun, &credential, "key").ok();
    let offers = || {
        let settings = server
            .anonymous()
            .send(Call::new("GET", "/server_settings"));
        settings.ok()["authentication_methods"]["passkey"] == true
    };
    let challenge = || {
        server
            .anonymous()
            .send(post("/passkey_challenges", &[]))
            .ok()
    };
    assert!(offers());
    let change = |ways: &str| owner.patch("/realm", &[("authentication_methods", ways)]);
    // No provider would be left.
    change(r#"{"Email": false}"#).bad_request();
    change(r#"{"Passkey": false}"#).ok();
    assert!(!offers());
    let answer = device.answer(&challenge());
    sign_in(&server, &[("passkey", answer.as_str())]).bad_request();
    sign_in_with(&server, &owner, &answer).ok();
}

#[test]
fn an_account_has_twenty() {
    let user = with_password(named());
    let mut device = None;
    for _ in 0..20 {
        device = Some(add(&user));
    }
    let begun = begin(&user);
    let mut one_more = SecurityKey::new(SITE, "more");
    let credential = one_more.register(&begun["options"]);
    confirm(&user, &begun, &credential, "laptop").bad_request();
    let (mut last, ..) = device.expect("a passkey");
    sign_in_alone(&last.answer(&challenge())).ok();
    // A reset takes all of them away.
    let owner = named().user("owner");
    let path = format!("/users/{}/second_factor", user.user_id);
    owner.delete(&path, &[]).ok();
    assert_none_left(&user);
    sign_in_alone(&last.answer(&challenge())).error(401, "INVALID_SECOND_FACTOR");
}

fn assert_none_left(user: &User) {
    let sql = "SELECT count(*) FROM passkeys WHERE user_id = ?1";
    let left: i64 = named()
        .database()
        .query_row(sql, [user.user_id], |row| row.get(0))
        .expect("a number");
    assert_eq!(left, 0);
}

#[test]
fn a_deactivated_person_is_not_signed_in() {
    let user = with_password(named());
    let (mut device, ..) = add(&user);
    named()
        .user("owner")
        .delete(&format!("/users/{}", user.user_id), &[])
        .ok();
    sign_in_alone(&device.answer(&challenge())).error(401, "USER_DEACTIVATED");
}
