//! POST /register without an account: only what is web-public (specification: register;
//! protocol-facts 4.1).

use spindle_tests::Client;
use spindle_tests::fixture::{self, Kind};

use crate::support::server;

#[test]
fn it_gets_a_snapshot_and_no_queue() {
    let body = server().anonymous().post("/register", &[]).ok();
    assert!(body["queue_id"].is_null());
    assert_eq!(body["zulip_feature_level"], 496);
    assert!(body.get("streams").is_none());
    assert_eq!(body["custom_profile_fields"], serde_json::json!([]));
}

#[test]
fn it_shows_web_public_channels_and_nothing_else() {
    let insider = server().user("member");
    let public = fixture::channel(server(), Kind::Public, &[&insider]);
    let private = fixture::channel(server(), Kind::PrivateShared, &[&insider]);
    let web = fixture::channel(server(), Kind::WebPublic, &[&insider]);
    let secret = spindle_tests::unique("secret status ");
    insider
        .post("/users/me/status", &[("status_text", &secret)])
        .ok();
    let reply = server().anonymous().post("/register", &[]);
    let text = String::from_utf8(reply.bytes.clone()).unwrap();
    reply.ok();
    assert!(text.contains(&web.name));
    assert!(
        !text.contains(&public.name),
        "a public channel is for people with accounts"
    );
    assert!(!text.contains(&private.name));
    assert!(!text.contains(&insider.email), "no address leaves");
    assert!(!text.contains(&secret));
}

#[test]
fn what_it_may_not_ask_for_is_an_error() {
    let anonymous = server().anonymous();
    anonymous
        .post("/register", &[("client_gravatar", "true")])
        .bad_request();
    anonymous
        .post("/register", &[("client_gravatar", "false")])
        .ok();
    anonymous
        .post("/register", &[("include_subscribers", "true")])
        .bad_request();
    anonymous
        .post("/register", &[("include_subscribers", "partial")])
        .bad_request();
    anonymous
        .post("/register", &[("include_subscribers", "false")])
        .ok();
}

/// A wrong key is not the same as no key.
#[test]
fn wrong_credentials_are_not_anonymous() {
    let user = server().user("member");
    let wrong = Client::new(server().base_url(), Some((&user.email, "x")));
    wrong.post("/register", &[]).error(401, "UNAUTHORIZED");
}
