//! Signing apps in by way of a browser: GET /accounts/login/browser, POST /sessions/current/app_flow and
//! GET /accounts/login/subdomain/{token}.

use aes_gcm::aead::{Aead, KeyInit};
use aes_gcm::{Aes256Gcm, Nonce};
use spindle_tests::Client;

use super::{enrol, post, sign_in_with};
use crate::sessions::{Browser, sign_in, with_password};
use crate::support::server;

fn bytes(hex: &str) -> Vec<u8> {
    let digits = hex.as_bytes().chunks(2);
    digits
        .map(|pair| {
            let pair = std::str::from_utf8(pair).expect("digits");
            u8::from_str_radix(pair, 16).expect("digits")
        })
        .collect()
}

fn opened(path: &str) -> String {
    let reply = server().anonymous().fetch(path, &[]);
    assert_eq!(reply.status, 302, "{path}");
    reply.header("location").expect("a place").to_owned()
}

#[test]
fn a_phone_gets_a_key_under_its_number() {
    let pad = "0f".repeat(31) + "aB";
    let place = opened(&format!("/accounts/login/browser?mobile_flow_otp={pad}"));
    assert_eq!(place, format!("/#sign-in-app/phone/{pad}"));
    let user = with_password(server());
    let (mut phone, _) = enrol(&user);
    let browser = Browser::from(server(), sign_in_with(server(), &user, &phone.code()));
    let flow = |pairs: &[(&str, &str)]| browser.call(post("/sessions/current/app_flow", pairs));
    let made = flow(&[("mobile_flow_otp", &pad)]).ok();
    let url = made["app_url"].as_str().expect("an address");
    let query = url.strip_prefix("zulip://login?").expect("zulip://login?");
    let pairs: Vec<(String, String)> = form_urlencoded::parse(query.as_bytes())
        .into_owned()
        .collect();
    let value = |name: &str| {
        let found = pairs.iter().find(|(known, _)| known == name);
        found.expect(name).1.clone()
    };
    assert!(value("realm").starts_with("http"));
    assert_eq!(value("user_id"), user.id());
    let sent = bytes(&value("otp_encrypted_api_key"));
    let key = sent.iter().zip(bytes(&pad)).map(|(one, pad)| one ^ pad);
    let key = String::from_utf8(key.collect()).expect("a key");
    let app = Client::new(server().base_url(), Some((&value("email"), &key)));
    assert_eq!(app.get("/users/me", &[]).ok()["user_id"], user.user_id);
}

#[test]
fn a_computer_gets_a_token_that_signs_in() {
    let pad = "5c".repeat(32);
    let place = opened(&format!("/accounts/login/browser?desktop_flow_otp={pad}"));
    assert_eq!(place, format!("/#sign-in-app/desktop/{pad}"));
    let user = with_password(server());
    let (mut phone, _) = enrol(&user);
    let browser = Browser::from(server(), sign_in_with(server(), &user, &phone.code()));
    let flow = post("/sessions/current/app_flow", &[("desktop_flow_otp", &pad)]);
    let made = browser.call(flow).ok();
    let sealed = bytes(made["app_token"].as_str().expect("a token"));
    let (iv, text) = sealed.split_at(12);
    let cipher = Aes256Gcm::new_from_slice(&bytes(&pad)).expect("a key");
    let iv: [u8; 12] = iv.try_into().expect("12 bytes");
    let token = cipher.decrypt(&Nonce::from(iv), text).expect("a text");
    let token = String::from_utf8(token).expect("a token");
    let place = opened(&format!("/accounts/login/subdomain/{token}"));
    assert_eq!(place, format!("/#sign-in/{token}"));
    // The second factor was checked in the browser.
    let app = Browser::from(server(), sign_in(server(), &[("sign_in_token", &token)]));
    assert_eq!(app.get("/users/me").ok()["user_id"], user.user_id);
    sign_in(server(), &[("sign_in_token", &token)]).error(401, "AUTHENTICATION_FAILED");
}

/// A session that began before the person set a second factor up proves none.
#[test]
fn only_a_person_in_a_browser_signs_an_app_in() {
    let user = with_password(server());
    let browser = Browser::of(server(), &user);
    let pad = "5c".repeat(32);
    let flow = |pairs: &[(&str, &str)]| browser.call(post("/sessions/current/app_flow", pairs));
    for wrong in ["", "5c", &"5c".repeat(33), &"5g".repeat(32)] {
        flow(&[("mobile_flow_otp", wrong)]).bad_request();
        flow(&[("desktop_flow_otp", wrong)]).bad_request();
        let place = opened(&format!("/accounts/login/browser?mobile_flow_otp={wrong}"));
        assert_eq!(place, "/");
    }
    flow(&[]).error(400, "REQUEST_VARIABLE_MISSING");
    flow(&[("mobile_flow_otp", &pad), ("desktop_flow_otp", &pad)]).bad_request();
    let path = "/sessions/current/app_flow";
    user.post(path, &[("mobile_flow_otp", &pad)]).bad_request();
    // Another site's page cannot, even where the browser sends the cookie along.
    let call = post(path, &[("mobile_flow_otp", &pad)]);
    browser.bare(call.clone()).error(401, "UNAUTHORIZED");
    let evil = call.header("Origin", "https://evil.example");
    browser.call(evil).error(401, "UNAUTHORIZED");
    // Nothing but places of the page is opened.
    for path in [
        "/accounts/login/browser?next=https://evil.example",
        "/accounts/login/subdomain/evil.example",
    ] {
        assert!(opened(path).starts_with("/"), "{path}");
        assert!(!opened(path).contains("evil"), "{path}");
        assert!(!opened(path).starts_with("//"), "{path}");
    }
}
