//! Attacks on the second factor by those who know the password.

use spindle_tests::{Options, Phone, Server, User};

use super::{enrol, sign_in_with, sign_in_without};
use crate::sessions::{PASSWORD, sign_in, with_password};

/// Signs in with a link, which no limit on passwords slows down.
fn by_link(server: &Server, user: &User, code: &str) -> spindle_tests::Reply {
    let made = server.admin(&["user", "sign-in-link", "--email", &user.email]);
    let link = made["sign_in_link"].as_str().expect("a link");
    let (_, token) = link.split_once("/#sign-in/").expect("/#sign-in/");
    sign_in(server, &[("sign_in_token", token), ("second_factor", code)])
}

fn count_wrong(server: &Server, user: &User, wrong: i64) {
    let sql = "UPDATE totp SET wrong_codes = ?2 WHERE user_id = ?1";
    server
        .database()
        .execute(sql, (user.user_id, wrong))
        .expect("a row");
}

/// Wrong codes are attempts at the account: after five in half an hour nothing is compared, not even a right code.
#[test]
fn five_wrong_codes_close_the_account_for_half_an_hour() {
    let server = Server::own(Options::default());
    let user = with_password(&server);
    let (mut phone, codes) = enrol(&user);
    for _ in 0..5 {
        sign_in_with(&server, &user, &phone.wrong()).error(401, "INVALID_SECOND_FACTOR");
    }
    sign_in_with(&server, &user, &phone.code()).error(429, "RATE_LIMIT_HIT");
    sign_in_with(&server, &user, &codes[0]).error(429, "RATE_LIMIT_HIT");
    sign_in_without(&server, &user).error(429, "RATE_LIMIT_HIT");
    if server.has_test_clock() {
        server.advance(31 * 60);
        sign_in_with(&server, &user, &codes[0]).ok();
    }
}

/// Beyond ten in a row each further guess waits longer, on every way in, until a right code comes.
#[test]
fn guessing_is_slower_and_slower() {
    let server = Server::own(Options::default());
    let user = with_password(&server);
    let (mut phone, codes) = enrol(&user);
    count_wrong(&server, &user, 9);
    by_link(&server, &user, &phone.wrong()).error(401, "INVALID_SECOND_FACTOR");
    let refused = by_link(&server, &user, &phone.code()).error(429, "RATE_LIMIT_HIT");
    let seconds = refused["retry-after"].as_f64().expect("seconds");
    assert!((3500.0..=3600.0).contains(&seconds), "{seconds}");
    sign_in_with(&server, &user, &phone.last()).error(429, "RATE_LIMIT_HIT");
    user.delete("/second_factor/totp", &[("code", &phone.last())])
        .error(429, "RATE_LIMIT_HIT");
    // A recovery code cannot be guessed, and stays the way in.
    sign_in_with(&server, &user, &codes[0]).ok();
    let sql = "UPDATE totp SET wrong_codes = 20, closed_until = 0 WHERE user_id = ?1";
    server
        .database()
        .execute(sql, [user.user_id])
        .expect("a row");
    by_link(&server, &user, &phone.wrong()).error(401, "INVALID_SECOND_FACTOR");
    let refused = by_link(&server, &user, &phone.last()).error(429, "RATE_LIMIT_HIT");
    let seconds = refused["retry-after"].as_f64().expect("seconds");
    assert!((86_000.0..=86_400.0).contains(&seconds), "{seconds}");
}

#[test]
fn a_right_code_forgets_the_wrong_ones() {
    let server = Server::own(Options::default());
    let user = with_password(&server);
    let (mut phone, _) = enrol(&user);
    count_wrong(&server, &user, 9);
    sign_in_with(&server, &user, &phone.code()).ok();
    by_link(&server, &user, &phone.wrong()).error(401, "INVALID_SECOND_FACTOR");
    let sql = "SELECT wrong_codes FROM totp WHERE user_id = ?1";
    let wrong: i64 = server
        .database()
        .query_row(sql, [user.user_id], |row| row.get(0))
        .expect("a row");
    assert_eq!(wrong, 1);
}

/// The audit log says that the password was right and the code was not.
#[test]
fn a_wrong_code_is_recorded() {
    let server = Server::own(Options::default());
    let user = with_password(&server);
    let (phone, _): (Phone, _) = enrol(&user);
    let pairs = [
        ("username", user.email.as_str()),
        ("password", PASSWORD),
        ("second_factor", &phone.wrong()),
    ];
    sign_in(&server, &pairs).error(401, "INVALID_SECOND_FACTOR");
    let sql = "SELECT data FROM audit_log WHERE event_type = 'user_sign_in_refused'";
    let data: String = server
        .database()
        .query_row(sql, [], |row| row.get(0))
        .expect("an entry");
    assert!(data.contains(r#""why":"second_factor""#), "{data}");
    assert!(!data.contains(&phone.wrong()), "{data}");
}
