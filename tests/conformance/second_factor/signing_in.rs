//! Signing in with a second factor: POST /sessions and POST /fetch_api_key.

use spindle_tests::{Reply, unique};

use super::{enrol, sign_in_with, sign_in_without};
use crate::sessions::{Browser, PASSWORD, sign_in, with_password};
use crate::support::server;

#[test]
fn a_browser_asks_for_a_code() {
    let user = with_password(server());
    let (mut phone, codes) = enrol(&user);
    sign_in_without(server(), &user).error(401, "SECOND_FACTOR_REQUIRED");
    sign_in_with(server(), &user, "").error(401, "SECOND_FACTOR_REQUIRED");
    sign_in_with(server(), &user, &phone.wrong()).error(401, "INVALID_SECOND_FACTOR");
    let first = phone.last();
    // As people type it.
    let code = phone.code();
    let (one, other) = code.split_at(3);
    let browser = Browser::from(
        server(),
        sign_in_with(server(), &user, &format!(" {one} {other} ")),
    );
    assert!(browser.is_signed_in());
    // The same code, in the same step, is refused.
    sign_in_with(server(), &user, &code).error(401, "INVALID_SECOND_FACTOR");
    // So is an earlier one than the last.
    sign_in_with(server(), &user, &first).error(401, "INVALID_SECOND_FACTOR");
    // A recovery code works once, in any writing.
    sign_in_with(server(), &user, &codes[0].to_lowercase().replace('-', " ")).ok();
    sign_in_with(server(), &user, &codes[0]).error(401, "INVALID_SECOND_FACTOR");
}

#[test]
fn of_many_simultaneous_uses_of_a_code_one_signs_in() {
    let user = with_password(server());
    let (mut phone, codes) = enrol(&user);
    for code in [phone.code(), codes[0].clone()] {
        let statuses: Vec<u16> = std::thread::scope(|scope| {
            let tries: Vec<_> = (0..4)
                .map(|_| scope.spawn(|| sign_in_with(server(), &user, &code).status))
                .collect();
            let tries = tries.into_iter();
            tries.map(|one| one.join().expect("an answer")).collect()
        });
        let of = |status: u16| statuses.iter().filter(|found| **found == status).count();
        assert_eq!(of(200), 1, "{statuses:?}");
        let sql = "UPDATE totp SET wrong_codes = 0, closed_until = 0 WHERE user_id = ?1";
        server()
            .database()
            .execute(sql, [user.user_id])
            .expect("a row");
    }
}

/// Who does not know the password does not learn whether there is a second factor.
#[test]
fn a_wrong_password_is_answered_alike() {
    let (with, without) = (with_password(server()), with_password(server()));
    let (_, codes) = enrol(&with);
    let try_on = |email: &str, code: Option<&str>| -> (u16, serde_json::Value) {
        let mut pairs = vec![("username", email), ("password", "not the password")];
        pairs.extend(code.map(|code| ("second_factor", code)));
        let reply: Reply = sign_in(server(), &pairs);
        (reply.status, reply.error(401, "AUTHENTICATION_FAILED"))
    };
    let expected = try_on(&without.email, None);
    let stranger = format!("{}@example.com", unique("stranger"));
    for code in [None, Some("123456"), Some(codes[0].as_str())] {
        assert_eq!(try_on(&with.email, code), expected);
        assert_eq!(try_on(&stranger, code), expected);
    }
    // Nothing was used up.
    sign_in_with(server(), &with, &codes[0]).ok();
}

/// Clients without a field for the code get a text that says where there is one.
#[test]
fn keys_are_for_those_with_a_code() {
    let user = with_password(server());
    let fetch = |pairs: &[(&str, &str)]| {
        let own = [("username", user.email.as_str()), ("password", PASSWORD)];
        server()
            .anonymous()
            .post("/fetch_api_key", &[&own[..], pairs].concat())
    };
    fetch(&[]).ok();
    let (mut phone, _) = enrol(&user);
    let refused = fetch(&[]).error(401, "SECOND_FACTOR_REQUIRED");
    let text = refused["msg"].as_str().expect("a text");
    assert!(text.contains("http"), "{text}");
    fetch(&[("second_factor", &phone.wrong())]).error(401, "INVALID_SECOND_FACTOR");
    let made = fetch(&[("second_factor", &phone.code())]).ok();
    assert_eq!(made["user_id"], user.user_id);
    fetch(&[("second_factor", &phone.last())]).error(401, "INVALID_SECOND_FACTOR");
    // The key that was there before goes on working, and apps are led to a browser.
    user.get("/users/me", &[]).ok();
    let settings = server().anonymous().get("/server_settings", &[]).ok();
    let method = &settings["external_authentication_methods"][0];
    assert_eq!(method["name"], "browser");
    assert_eq!(method["login_url"], "/accounts/login/browser");
}
