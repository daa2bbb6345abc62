//! POST /register without an account: only web-public data (docs/protocol/register.md#anonymous).

use serde_json::json;
use spindle_tests::fixture::{self, ChannelKind};
use spindle_tests::{Client, Options, Server};

use crate::support::{keys, server};

#[test]
fn a_spectator_gets_a_snapshot_and_no_queue() {
    let body = server().anonymous().post("/register", &[]).ok();
    assert!(body["queue_id"].is_null());
    assert_eq!(body["zulip_feature_level"], 496);
    assert!(body.get("streams").is_none());
    assert_eq!(body["custom_profile_fields"], serde_json::json!([]));
}

#[test]
fn a_spectator_sees_web_public_channels_only() {
    let insider = server().user("member");
    let public = fixture::channel(server(), ChannelKind::Public, &[&insider]);
    let private = fixture::channel(server(), ChannelKind::PrivateShared, &[&insider]);
    let web = fixture::channel(server(), ChannelKind::WebPublic, &[&insider]);
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
fn parameters_that_need_an_account_are_refused() {
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

/// All personal sections are present and empty, so that a client decodes a spectator like a user;
/// the settings are those of a new account.
#[test]
fn personal_sections_are_empty_for_spectators() {
    let body = server().anonymous().post("/register", &[]).ok();
    for name in [
        "alert_words",
        "custom_profile_fields",
        "drafts",
        "muted_topics",
        "muted_users",
        "navigation_views",
        "onboarding_steps",
        "realm_bots",
        "realm_default_streams",
        "realm_non_active_users",
        "realm_user_groups",
        "realm_users",
        "recent_private_conversations",
        "reminders",
        "saved_snippets",
        "scheduled_messages",
        "starred_messages",
        "subscriptions",
        "unsubscribed",
        "user_topics",
    ] {
        assert_eq!(body[name], json!([]), "{name}");
    }
    for name in ["devices", "presences", "push_devices", "user_status"] {
        assert_eq!(body[name], json!({}), "{name}");
    }
    assert_eq!(body["unread_msgs"]["count"], 0);
    assert_eq!(body["max_message_id"], -1);
    assert_eq!(body["has_zoom_token"], false);
    for name in ["is_admin", "is_owner", "can_create_streams"] {
        assert_eq!(body[name], false, "{name}");
    }
    let member = server().user("member").post("/register", &[]).ok();
    assert_eq!(keys(&body["user_settings"]), keys(&member["user_settings"]));
    assert_eq!(body["user_settings"]["timezone"], "");
}

/// `all_public_streams` has no effect without a queue, and polling is refused.
#[test]
fn spectators_have_no_queue_to_poll() {
    let anonymous = server().anonymous();
    let body = anonymous
        .post("/register", &[("all_public_streams", "true")])
        .ok();
    assert!(body["queue_id"].is_null());
    assert_eq!(body["last_event_id"], -1);
    for pairs in [
        vec![("queue_id", "null"), ("last_event_id", "-1")],
        vec![("dont_block", "true")],
    ] {
        anonymous.get("/events", &pairs).error(401, "UNAUTHORIZED");
    }
}

/// Without public access all anonymous requests are refused. A new organization has no public
/// access, and no channel can be web-public until an administrator enables it.
#[test]
fn only_organizations_with_public_access_answer() {
    let server = Server::own(Options::default());
    let owner = server.user("owner");
    let anonymous = server.anonymous();
    let closed = || {
        for pairs in [vec![], vec![("client_gravatar", "true")]] {
            anonymous
                .post("/register", &pairs)
                .error(401, "UNAUTHORIZED");
        }
        let settings = anonymous.get("/server_settings", &[]).ok();
        assert_eq!(settings["realm_web_public_access_enabled"], false);
    };
    let channel = [
        ("name", "on the web"),
        ("subscribers", "[]"),
        ("is_web_public", "true"),
    ];
    let admit = |value| owner.patch("/realm", &[("enable_spectator_access", value)]);
    closed();
    owner.post("/channels/create", &channel).bad_request();
    admit("true").ok();
    owner.post("/channels/create", &channel).ok();
    let body = anonymous.post("/register", &[]);
    assert!(String::from_utf8_lossy(&body.bytes).contains("on the web"));
    admit("false").ok();
    closed();
}
