//! Which ways to sign in are on, as clients learn it, and as owners change it.

use serde_json::json;
use spindle_tests::{Call, Queue};

use super::{FAILED, World, person};
use crate::sessions::{PASSWORD, sign_in};
use crate::support::server;

#[test]
fn clients_find_the_providers() {
    let Some(world) = World::shared() else { return };
    let settings = world.server.anonymous().get("/server_settings", &[]).ok();
    let methods = settings["external_authentication_methods"]
        .as_array()
        .unwrap();
    let companies: Vec<_> = methods
        .iter()
        .filter(|method| method["name"].as_str().unwrap().starts_with("openid:"))
        .collect();
    assert_eq!(companies.len(), 2);
    assert_eq!(
        *companies[0],
        json!({
            "name": "openid:kc",
            "display_name": "Company kc",
            "display_icon": null,
            "login_url": "/accounts/login/openid/kc",
            "signup_url": "/accounts/login/openid/kc",
        })
    );
    assert_eq!(settings["authentication_methods"]["openid connect"], true);
    assert_eq!(settings["email_auth_enabled"], true);
    let user = world.server.user("member");
    let pairs = [("fetch_event_types", r#"["realm"]"#)];
    let state = user.post("/register", &pairs).ok();
    assert_eq!(
        state["realm_authentication_methods"],
        json!({
            "Email": {"enabled": true, "available": true},
            "Passkey": {"enabled": true, "available": true},
            "openid:kc": {"enabled": true, "available": true},
            "openid:strict": {"enabled": true, "available": true},
        })
    );
}

#[test]
fn the_only_way_stays_on() {
    let owner = server().user("owner");
    let change = |methods: &str| owner.patch("/realm", &[("authentication_methods", methods)]);
    change(r#"{"Email": false}"#).bad_request();
    change(r#"{"GitHub": true}"#).bad_request();
    change("{}").ok();
    change(r#"{"Email": true}"#).ok();
    change("[]").bad_request();
    let administrator = server().user("administrator");
    let pairs = [("authentication_methods", r#"{"Email": true}"#)];
    administrator
        .patch("/realm", &pairs)
        .error(400, "UNAUTHORIZED_PRINCIPAL");
}

#[test]
fn an_organization_without_passwords() {
    let Some(world) = World::start() else { return };
    let server = &world.server;
    let owner = server.user_with("owner", &["--password", PASSWORD]);
    let member = server.user_with("member", &["--password", PASSWORD]);
    let session = world.session_of(&person("owner", &owner.email));
    let change = |methods: &str| {
        let pairs = [("authentication_methods", methods)];
        session.send(Call::new("PATCH", "/realm").form(&pairs))
    };
    let mut queue = Queue::of(&member, &["realm"]);
    change(r#"{"Email": false, "openid:kc": false}"#).bad_request();
    change(r#"{"Email": false}"#).ok();
    let event = queue.expect(|event| event["op"] == "update_dict");
    let data = &event["data"];
    assert_eq!(data["authentication_methods"]["Email"]["enabled"], false);
    assert_eq!(data["email_auth_enabled"], false);
    assert_eq!(data["password_auth_enabled"], false);

    let settings = server.anonymous().get("/server_settings", &[]).ok();
    assert_eq!(settings["email_auth_enabled"], false);
    assert_eq!(settings["authentication_methods"]["password"], false);
    for password in [PASSWORD, "wrong"] {
        for email in [member.email.as_str(), "unknown@x.org"] {
            let pairs = [("username", email), ("password", password)];
            let refused = server.anonymous().post("/fetch_api_key", &pairs);
            refused.error(401, "PASSWORD_AUTH_DISABLED");
            sign_in(server, &pairs).error(401, "PASSWORD_AUTH_DISABLED");
        }
    }
    // Keys that there are stay; the operator's link is the way in.
    member.get("/users/me", &[]).ok();
    let made = server.admin(&["user", "sign-in-link", "--email", &member.email]);
    let link = made["sign_in_link"].as_str().unwrap();
    world.follow(link.split_once("/#sign-in/").unwrap().1);
    change(r#"{"Email": true, "openid:strict": false}"#).ok();
    let pairs = [("username", member.email.as_str()), ("password", PASSWORD)];
    sign_in(server, &pairs).ok();
    let place = world.browser().open("/accounts/login/openid/strict", &[]);
    assert_eq!(super::location(&place), format!("{FAILED}off"));
}
