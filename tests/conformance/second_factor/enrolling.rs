//! GET /second_factor, POST /second_factor/totp, POST /second_factor/totp/confirm, DELETE /second_factor/totp and
//! POST /second_factor/recovery_codes.

use spindle_tests::Phone;

use super::{audited, enrol, post, sign_in_with, sign_in_without, state, texts};
use crate::sessions::{Browser, PASSWORD, with_password};
use crate::support::{keys, server};

#[test]
fn an_app_counts_from_its_first_code_on() {
    let user = with_password(server());
    let browser = Browser::of(server(), &user);
    let before = state(&browser);
    assert_eq!(
        keys(&before),
        [
            "can_have_passkeys",
            "has_password",
            "is_required",
            "msg",
            "passkeys",
            "recovery_codes_left",
            "result",
            "totp_since"
        ]
    );
    assert_eq!(before["totp_since"], serde_json::Value::Null);
    assert_eq!(before["has_password"], true);
    let begin = |pairs: &[(&str, &str)]| browser.call(post("/second_factor/totp", pairs));
    // An open browser is not enough.
    begin(&[]).bad_request();
    begin(&[("password", "")]).bad_request();
    begin(&[("password", "another")]).bad_request();
    let first = begin(&[("password", PASSWORD)]).ok();
    assert_eq!(
        keys(&first),
        [
            "msg",
            "otpauth_url",
            "qr_path",
            "qr_size",
            "result",
            "secret"
        ]
    );
    let secret = first["secret"].as_str().expect("a secret");
    let url = first["otpauth_url"].as_str().expect("an address");
    assert!(url.starts_with("otpauth://totp/"), "{url}");
    assert!(url.contains(&format!("secret={secret}&")), "{url}");
    // It does not count yet, and another one takes its place.
    sign_in_without(server(), &user).ok();
    let mut old = Phone::new(secret);
    let second = begin(&[("password", PASSWORD)]).ok();
    let mut phone = Phone::new(second["secret"].as_str().expect("a secret"));
    let confirm = |code: &str| browser.call(post("/second_factor/totp/confirm", &[("code", code)]));
    confirm(&old.code()).bad_request();
    confirm(&phone.wrong()).bad_request();
    confirm("").bad_request();
    assert_eq!(state(&browser)["totp_since"], serde_json::Value::Null);
    let codes = texts(&confirm(&phone.code()).ok()["recovery_codes"]);
    assert_eq!(codes.len(), 10);
    let after = state(&browser);
    assert!(after["totp_since"].is_i64(), "{after}");
    assert_eq!(after["recovery_codes_left"], 10);
    // Only one.
    begin(&[("password", PASSWORD)]).bad_request();
    confirm(&phone.last()).bad_request();
    assert!(browser.is_signed_in());
    // Neither secret nor codes are in the log, and codes are stored as hashes.
    assert_eq!(
        audited(server(), &user, "user_second%"),
        ["user_second_factor_set"]
    );
    let stored: i64 = server()
        .database()
        .query_row(
            "SELECT count(*) FROM audit_log WHERE data LIKE '%' || ?1 || '%'",
            [second["secret"].as_str().expect("a secret")],
            |row| row.get(0),
        )
        .expect("a number");
    assert_eq!(stored, 0);
}

/// Without a password, who has signed in a moment ago is believed.
#[test]
fn an_account_without_a_password_needs_a_fresh_session() {
    let user = server().user("member");
    user.post("/second_factor/totp", &[]).bad_request();
    let made = server().admin(&["user", "sign-in-link", "--email", &user.email]);
    let link = made["sign_in_link"].as_str().expect("a link");
    let (_, token) = link.split_once("/#sign-in/").expect("/#sign-in/");
    let reply = crate::sessions::sign_in(server(), &[("sign_in_token", token)]);
    let browser = Browser::from(server(), reply);
    assert_eq!(state(&browser)["has_password"], false);
    let begin = || browser.call(post("/second_factor/totp", &[]));
    begin().ok();
    let sql = "UPDATE sessions SET created = created - 901 WHERE id = ?1";
    server()
        .database()
        .execute(sql, [browser.session_id])
        .expect("a session");
    begin().bad_request();
}

#[test]
fn it_is_removed_with_a_code() {
    let user = with_password(server());
    let (mut phone, codes) = enrol(&user);
    let remove = |code: &str| user.delete("/second_factor/totp", &[("code", code)]);
    remove("").error(401, "SECOND_FACTOR_REQUIRED");
    remove(&phone.wrong()).error(401, "INVALID_SECOND_FACTOR");
    remove(&phone.last()).error(401, "INVALID_SECOND_FACTOR");
    remove(&phone.code()).ok();
    sign_in_without(server(), &user).ok();
    remove("123456").bad_request();
    // A recovery code will do too; all of them go with the app.
    let (_, others) = enrol(&user);
    remove(&codes[0]).error(401, "INVALID_SECOND_FACTOR");
    remove(&others[0]).ok();
    let (_, _) = enrol(&user);
    sign_in_with(server(), &user, &others[1]).error(401, "INVALID_SECOND_FACTOR");
}

#[test]
fn new_recovery_codes_replace_the_others() {
    let user = with_password(server());
    user.post("/second_factor/recovery_codes", &[("code", "123456")])
        .bad_request();
    let (mut phone, codes) = enrol(&user);
    let renew = |code: &str| user.post("/second_factor/recovery_codes", &[("code", code)]);
    renew(&phone.wrong()).error(401, "INVALID_SECOND_FACTOR");
    let fresh = texts(&renew(&phone.code()).ok()["recovery_codes"]);
    assert_eq!(fresh.len(), 10);
    sign_in_with(server(), &user, &codes[0]).error(401, "INVALID_SECOND_FACTOR");
    sign_in_with(server(), &user, &fresh[0]).ok();
    assert_eq!(
        audited(server(), &user, "user_recovery%"),
        ["user_recovery_codes_made", "user_recovery_code_used"]
    );
}
