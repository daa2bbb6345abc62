//! An attempt belongs to one browser and one provider, and leads to the page alone.

use serde_json::json;
use spindle_tests::{Call, Server};

use super::{CALLBACK, FAILED, LOGIN, World, location, person};
use crate::support::server;

const OTP: &str = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";

/// Servers without a provider refuse, too.
fn open(server: &Server, path: &str, pairs: &[(&str, &str)]) -> spindle_tests::Reply {
    let call = Call::new("GET", path).at_root().query(pairs);
    server.anonymous().try_send(&call).expect("an answer")
}

#[test]
fn what_is_no_provider_is_off_or_nothing() {
    let reply = open(server(), LOGIN, &[]);
    assert_eq!(location(&reply), format!("{FAILED}off"));
    assert_eq!(reply.header("set-cookie"), None);
    for path in [
        "/accounts/login/openid/K%20C",
        "/accounts/login/openid/kc/other",
    ] {
        assert_eq!(open(server(), path, &[]).status, 404, "{path}");
    }
}

#[test]
fn one_time_passwords_have_a_form() {
    for name in ["mobile_flow_otp", "desktop_flow_otp"] {
        for wrong in ["", "00", &OTP.replace('0', "g"), &format!("{OTP}0")] {
            open(server(), LOGIN, &[(name, wrong)]).bad_request();
        }
    }
    let both = [("mobile_flow_otp", OTP), ("desktop_flow_otp", OTP)];
    open(server(), LOGIN, &both).bad_request();
}

#[test]
fn without_an_attempt_nothing_is_answered() {
    for pairs in [
        &[][..],
        &[("code", "x")],
        &[("code", "x"), ("state", "")],
        &[("code", "x"), ("state", "y")],
        &[("error", "access_denied"), ("state", "y")],
    ] {
        let reply = open(server(), CALLBACK, pairs);
        assert_eq!(location(&reply), format!("{FAILED}state"), "{pairs:?}");
        let cookie = reply.header("set-cookie").expect("Set-Cookie");
        assert!(cookie.contains("Max-Age=0"), "{cookie}");
    }
}

#[test]
fn the_provider_gets_what_it_must_return() {
    let Some(world) = World::shared() else { return };
    let reply = world.browser().open(LOGIN, &[]);
    let cookie = reply.header("set-cookie").expect("Set-Cookie").to_owned();
    for attribute in ["HttpOnly", "SameSite=Lax", "Path=/", "Max-Age=600"] {
        assert!(cookie.contains(attribute), "{cookie}");
    }
    let attempt = world.browser().begin("kc", &[]);
    let issuer = world.idp.issuer("kc");
    assert!(
        attempt
            .location
            .starts_with(&format!("{issuer}/authorize?"))
    );
    assert_eq!(attempt.sent("response_type"), "code");
    assert_eq!(attempt.sent("client_id"), "spindle");
    assert_eq!(attempt.sent("code_challenge_method"), "S256");
    assert!(attempt.sent("redirect_uri").ends_with(CALLBACK));
    let other = world.browser().begin("kc", &[]);
    for name in ["state", "nonce", "code_challenge"] {
        assert_ne!(attempt.sent(name), other.sent(name));
        assert!(!attempt.cookie.contains(&attempt.sent(name)), "{name}");
    }
}

/// Login CSRF: the attacker's code in the victim's browser; and answers that were mixed up.
#[test]
fn an_answer_is_taken_in_its_own_browser_from_its_own_provider() {
    let Some(world) = World::shared() else { return };
    let refused = format!("{FAILED}state");
    let attackers = world.browser().begin("kc", &[]);
    let code = world
        .idp
        .code("kc", &attackers, &person("csrf", "csrf@x.org"));
    let state = attackers.sent("state");
    let pairs = [("code", code.as_str()), ("state", state.as_str())];
    // A browser without an attempt, and one with its own.
    let bare = world.browser().open(CALLBACK, &pairs);
    assert_eq!(location(&bare), refused);
    let victims = world.browser().begin("kc", &[]);
    assert_eq!(location(&victims.come_back("kc", &pairs)), refused);
    // Of one provider at the path of another one.
    assert_eq!(location(&attackers.come_back("strict", &pairs)), refused);
    // Nothing of it has used the code up.
    let place = location(&attackers.come_back("kc", &pairs));
    assert!(place.starts_with("/#sign-in/"), "{place}");
    // It works once at the provider.
    assert_eq!(
        location(&attackers.come_back("kc", &pairs)),
        format!("{FAILED}failed")
    );
}

#[test]
fn an_attempt_ends_after_ten_minutes() {
    let Some(world) = World::start() else { return };
    let attempt = world.browser().begin("kc", &[]);
    let code = world
        .idp
        .code("kc", &attempt, &person("late", "late@x.org"));
    world.server.advance(601);
    assert_eq!(location(&attempt.answer(&code)), format!("{FAILED}state"));
}

#[test]
fn a_token_of_another_attempt_audience_or_issuer_is_refused() {
    let Some(world) = World::shared() else { return };
    let other = world.idp.issuer("strict");
    for (claim, value) in [
        ("nonce", json!("of another attempt")),
        ("nonce", json!(null)),
        ("aud", json!("another client")),
        ("iss", json!(other)),
        ("exp", json!(1_000_000_000)),
        ("sub", json!(null)),
    ] {
        let mut claims = person("wrong", "wrong@x.org");
        claims[claim] = value;
        let place = world.enter_by("kc", &claims);
        assert_eq!(place, format!("{FAILED}failed"), "{claim}");
    }
    let users: i64 = world
        .server
        .database()
        .query_row(
            "SELECT count(*) FROM users WHERE email = 'wrong@x.org'",
            [],
            |row| row.get(0),
        )
        .unwrap();
    assert_eq!(users, 0);
}

#[test]
fn a_provider_can_say_no() {
    let Some(world) = World::shared() else { return };
    for (error, word) in [("access_denied", "denied"), ("server_error", "failed")] {
        let attempt = world.browser().begin("kc", &[]);
        let pairs = [("error", error), ("state", &attempt.sent("state"))];
        assert_eq!(
            location(&attempt.come_back("kc", &pairs)),
            format!("{FAILED}{word}")
        );
    }
    let attempt = world.browser().begin("kc", &[]);
    for code in ["", &"x".repeat(4097)] {
        assert_eq!(location(&attempt.answer(code)), format!("{FAILED}failed"));
    }
    assert_eq!(
        location(&attempt.answer("unknown")),
        format!("{FAILED}failed")
    );
}

/// No parameter leads from the sign-in to another site.
#[test]
fn flows_stay_within_the_page() {
    let Some(world) = World::shared() else { return };
    let evil = "https://evil.example/#inbox";
    for (name, value, end) in [
        ("next", "#narrow/dm/3", "?next=narrow/dm/3".to_owned()),
        ("next", "/#inbox", "?next=inbox".to_owned()),
        ("next", evil, String::new()),
        ("next", "//evil.example", String::new()),
        ("next", "#sign-in/00", String::new()),
        ("mobile_flow_otp", OTP, format!("?mobile_flow_otp={OTP}")),
        ("desktop_flow_otp", OTP, format!("?desktop_flow_otp={OTP}")),
    ] {
        let attempt = world.browser().begin("kc", &[(name, value)]);
        assert!(!attempt.location.contains("evil"), "{}", attempt.location);
        let code = world
            .idp
            .code("kc", &attempt, &person("flow", "flow@x.org"));
        let place = location(&attempt.answer(&code));
        let rest = place
            .strip_prefix("/#sign-in/")
            .unwrap_or_else(|| panic!("{place}"));
        assert_eq!(rest.len(), 64 + end.len(), "{place}");
        assert!(rest.ends_with(&end), "{place}");
    }
}
