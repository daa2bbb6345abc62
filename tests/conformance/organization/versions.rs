//! Settings of the organization that were added at single feature levels
//! (docs/protocol/conventions.md#feature-levels): changed by PATCH /realm, shown by POST /register,
//! sent in events.

use serde_json::{Value, json};
use spindle_tests::fixture::{self, ChannelKind};
use spindle_tests::{Queue, Server, User};

use super::{REALM, alone, group_id, realm, settled};

/// Changes one setting; returns the events of the change.
fn changed(server: &Server, name: &str, value: &str) -> Vec<Value> {
    let (owner, guest) = (server.user("owner"), server.user("guest"));
    let mut queue = Queue::of(&guest, &["realm", "user_status"]);
    owner.patch(REALM, &[(name, value)]).ok();
    let mut events = settled(&mut queue, &owner);
    for event in &mut events {
        event.as_object_mut().expect("an event").remove("id");
    }
    events
}

fn update(property: &str, value: Value) -> Value {
    json!({"type": "realm", "op": "update", "property": property, "value": value})
}

/// Level 469.
#[test]
fn the_size_of_previews_is_a_setting_of_the_organization() {
    let server = alone();
    let received = changed(&server, "media_preview_size", "150");
    assert_eq!(received, [update("media_preview_size", json!(150))]);
    let member = server.user("member");
    assert_eq!(realm(&member)["realm_media_preview_size"], 150);
    changed(&server, "media_preview_size", "100");
    assert_eq!(realm(&member)["realm_media_preview_size"], 100);
}

/// Levels 442 and 453: one rating for all services that provide images.
#[test]
fn the_rating_of_gifs_has_new_names() {
    let server = alone();
    let owner = server.user("owner");
    let received = changed(&server, "gif_rating_policy", "3");
    assert_eq!(received, [update("gif_rating_policy", json!(3))]);
    let pairs = [
        ("event_types", "[]"),
        ("fetch_event_types", "[\"realm\", \"giphy\", \"tenor\"]"),
    ];
    let state = owner.post("/register", &pairs).ok();
    let names: Vec<&str> = state
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .filter(|name| name.contains("rating"))
        .collect();
    assert_eq!(
        names,
        ["gif_rating_policy_options", "realm_gif_rating_policy"]
    );
    assert_eq!(state["realm_gif_rating_policy"], 3);
    let options = state["gif_rating_policy_options"].as_object().unwrap();
    assert!(options.values().any(|option| option["id"] == 3));
    assert!(state["tenor_api_key"].is_string() && state["giphy_api_key"].is_string());
    let reply = owner.patch(REALM, &[("giphy_rating", "1")]);
    assert_eq!(reply.ignored(), ["giphy_rating"]);
    changed(&server, "gif_rating_policy", "2");
}

/// Level 392: an administrator of a channel sets its policy for the empty topic only with this
/// permission.
#[test]
fn the_topics_policy_of_a_channel_has_a_permission_of_its_own() {
    let server = alone();
    let (owner, member) = (server.user("owner"), server.user("member"));
    let moderator = server.user("moderator");
    let channel = fixture::channel(&server, ChannelKind::Public, &[&member]);
    fixture::channel_permission(
        &server,
        &channel,
        "can_administer_channel_group",
        "role:members",
    );
    let set = |user: &User, policy: &str| {
        let path = format!("/streams/{}", channel.id());
        user.patch(&path, &[("topics_policy", policy)])
    };
    set(&member, "disable_empty_topic").ok();
    let give = |group: &str| {
        let value = json!({"new": group_id(&owner, group)}).to_string();
        owner
            .patch(REALM, &[("can_set_topics_policy_group", &value)])
            .ok();
    };
    give("role:moderators");
    set(&member, "allow_empty_topic").bad_request();
    set(&moderator, "allow_empty_topic").ok();
    give("role:members");
    set(&member, "inherit").ok();
}
