//! GET /server_settings (docs/protocol/organization.md#get_server_settings,
//! docs/protocol/clients.md#versions, docs/protocol/clients.md#zulip-terminal,
//! docs/protocol/clients.md#zulip-flutter).

use spindle_tests::Client;

use crate::support::{require, server};

#[test]
fn server_settings_need_no_credentials_and_ignore_wrong_ones() {
    let user = server().user("member");
    let expected = server().anonymous().get("/server_settings", &[]).ok();
    let base = server().base_url();
    for client in [
        user.client.clone(),
        Client::new(base, Some((&user.email, "wrong"))),
        Client::new(base, Some(("nobody@example.com", &user.api_key))),
        Client::with_authorization(base, Some("Basic ???".to_owned())),
        Client::with_authorization(base, Some("Bearer x".to_owned())),
    ] {
        assert_eq!(client.get("/server_settings", &[]).ok(), expected);
    }
}

#[test]
fn clients_find_every_field_they_decode() {
    let body = server().anonymous().get("/server_settings", &[]).ok();
    require(
        &body,
        "authentication_methods external_authentication_methods zulip_version zulip_merge_base \
         zulip_feature_level service_feature_level push_notifications_enabled is_incompatible \
         email_auth_enabled require_email_format_usernames realm_url realm_uri realm_name \
         realm_icon realm_description realm_web_public_access_enabled",
    );
    assert_eq!(body["zulip_feature_level"], 496);
    assert_eq!(body["service_feature_level"], 496);
    let version = body["zulip_version"].as_str().unwrap();
    assert!(
        version.starts_with("12.0") && version.contains("+spindle"),
        "{version}"
    );
    assert_eq!(body["is_incompatible"], false);
    assert_eq!(body["realm_url"], body["realm_uri"]);
    assert!(body["realm_url"].as_str().unwrap().starts_with("http"));
    for method in [
        "password",
        "dev",
        "email",
        "ldap",
        "remoteuser",
        "github",
        "azuread",
        "gitlab",
        "google",
        "apple",
        "saml",
        "openid connect",
    ] {
        assert!(
            body["authentication_methods"][method].is_boolean(),
            "{method}"
        );
    }
    assert_eq!(body["authentication_methods"]["password"], true);
    assert!(body["external_authentication_methods"].is_array());
}

/// The server address in the answer is the one that the client used.
#[test]
fn the_realm_url_follows_the_host_header() {
    let reply = spindle_tests::raw::exchange(
        server().address(),
        b"GET /api/v1/server_settings HTTP/1.1\r\nHost: chat.example.org:8443\r\nConnection: close\r\n\r\n",
    );
    let body = reply.json().expect("JSON");
    let url = body["realm_url"].as_str().unwrap();
    assert!(url.ends_with("//chat.example.org:8443"), "{url}");
}
