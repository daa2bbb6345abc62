//! The setting session_days.

use spindle_tests::{Options, Server};

use crate::sessions::{Browser, PASSWORD, sign_in, with_password};

const DAY: u64 = 24 * 60 * 60;

fn max_age(reply: &spindle_tests::Reply) -> u64 {
    let cookie = reply.header("set-cookie").expect("a cookie");
    let (_, age) = cookie.split_once("Max-Age=").expect("Max-Age");
    let age = age.split(';').next().unwrap_or_default();
    age.parse().expect("seconds")
}

#[test]
fn the_organization_chooses_how_long_sessions_last() {
    let server = Server::own(Options::default());
    let (owner, administrator) = (server.user("owner"), server.user("administrator"));
    let choose = |days: &str| owner.patch("/realm", &[("session_days", days)]);
    administrator
        .patch("/realm", &[("session_days", "1")])
        .error(400, "UNAUTHORIZED_PRINCIPAL");
    for wrong in ["0", "366", "-1", "x", "1.5"] {
        choose(wrong).bad_request();
    }
    let user = with_password(&server);
    let pairs = [("username", user.email.as_str()), ("password", PASSWORD)];
    let reply = sign_in(&server, &pairs);
    assert_eq!(max_age(&reply), 30 * DAY);
    let browser = Browser::from(&server, reply);
    choose("2").ok();
    assert!(browser.is_signed_in());
    assert_eq!(max_age(&sign_in(&server, &pairs)), 2 * DAY);
    if !server.has_test_clock() {
        return;
    }
    // A use moves the end, which the cookie says.
    server.advance(DAY);
    let renewed = browser.get("/users/me");
    assert_eq!(max_age(&renewed), 2 * DAY);
    renewed.ok();
    server.advance(2 * DAY - 60);
    assert!(browser.is_signed_in());
    server.advance(2 * DAY + 60);
    assert!(!browser.is_signed_in());
}

/// A longer time must not bring a session back that a shorter one has ended.
#[test]
fn what_has_ended_stays_ended() {
    let server = Server::own(Options::default());
    if !server.has_test_clock() {
        return;
    }
    let owner = server.user("owner");
    let choose = |days: &str| owner.patch("/realm", &[("session_days", days)]).ok();
    let user = with_password(&server);
    let browser = Browser::of(&server, &user);
    server.advance(3 * DAY);
    choose("1");
    choose("365");
    assert!(!browser.is_signed_in());
}
