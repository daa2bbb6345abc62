//! Links and the second factor: a link proves one thing, as a password does.

use super::{enrol, sign_in_with, sign_in_without};
use crate::sessions::{Browser, sign_in, with_password};
use crate::support::server;

const NEW: &str = "entirely other words, unrelated";

#[test]
fn a_link_waits_for_the_code() {
    let user = with_password(server());
    let (mut phone, _) = enrol(&user);
    let made = server().admin(&["user", "sign-in-link", "--email", &user.email]);
    let link = made["sign_in_link"].as_str().expect("a link");
    let (_, token) = link.split_once("/#sign-in/").expect("/#sign-in/");
    let follow = |code: &str| {
        let pairs = [("sign_in_token", token), ("second_factor", code)];
        sign_in(server(), &pairs)
    };
    sign_in(server(), &[("sign_in_token", token)]).error(401, "SECOND_FACTOR_REQUIRED");
    follow(&phone.wrong()).error(401, "INVALID_SECOND_FACTOR");
    let browser = Browser::from(server(), follow(&phone.code()));
    assert!(browser.is_signed_in());
    follow(&phone.last()).error(401, "AUTHENTICATION_FAILED");
}

/// Whether there is such a link is found out first: a stranger learns nothing.
#[test]
fn a_link_that_does_not_exist_is_refused_first() {
    let pairs = [("sign_in_token", "00"), ("second_factor", "123456")];
    sign_in(server(), &pairs).error(401, "AUTHENTICATION_FAILED");
}

/// A link by mail must not be a way around the second factor.
#[test]
fn a_new_password_needs_the_code() {
    let owner = server().user("owner");
    let user = with_password(server());
    let (mut phone, _) = enrol(&user);
    let path = format!("/users/{}/password_link", user.id());
    let made = owner.post(&path, &[]).ok();
    let link = made["password_link"].as_str().expect("a link");
    let (_, token) = link.rsplit_once('/').expect("a token");
    let follow = |code: &[(&str, &str)]| {
        let own = [("token", token), ("new_password", NEW)];
        server()
            .anonymous()
            .post("/password_links/use", &[&own[..], code].concat())
    };
    follow(&[]).error(401, "SECOND_FACTOR_REQUIRED");
    follow(&[("second_factor", &phone.wrong())]).error(401, "INVALID_SECOND_FACTOR");
    // Nothing has changed so far.
    sign_in_without(server(), &user).error(401, "SECOND_FACTOR_REQUIRED");
    follow(&[("second_factor", &phone.code())]).ok();
    sign_in_with(server(), &user, "123456").error(401, "AUTHENTICATION_FAILED");
}
