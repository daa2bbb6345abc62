//! Channels in the snapshot: subscription records, and who can see which channel and its
//! subscribers.

use serde_json::{Value, json};
use spindle_tests::User;
use spindle_tests::fixture::{self, ChannelKind};

use crate::support::{keys, server};

fn snapshot(user: &User, extra: &[(&str, &str)]) -> Value {
    let mut pairs = vec![
        ("event_types", "[]"),
        (
            "fetch_event_types",
            "[\"subscription\", \"stream\", \"default_streams\"]",
        ),
    ];
    pairs.extend(extra);
    user.post("/register", &pairs).ok()
}

fn find(list: &Value, id: i64) -> Option<&Value> {
    list.as_array()
        .unwrap()
        .iter()
        .find(|channel| channel["stream_id"] == id)
}

const PERMISSIONS: [&str; 11] = [
    "can_add_subscribers_group",
    "can_administer_channel_group",
    "can_create_topic_group",
    "can_delete_any_message_group",
    "can_delete_own_message_group",
    "can_move_messages_out_of_channel_group",
    "can_move_messages_within_channel_group",
    "can_remove_subscribers_group",
    "can_resolve_topics_group",
    "can_send_message_group",
    "can_subscribe_group",
];

#[test]
fn a_subscription_has_the_fields_of_the_specification() {
    let user = server().user("member");
    let channel = fixture::channel(server(), ChannelKind::Public, &[&user]);
    let body = snapshot(&user, &[]);
    let record = find(&body["subscriptions"], channel.stream_id).expect("subscribed");
    let mut expected = vec![
        "audible_notifications",
        "color",
        "creator_id",
        "date_created",
        "description",
        "desktop_notifications",
        "email_notifications",
        "first_message_id",
        "folder_id",
        "history_public_to_subscribers",
        "in_home_view",
        "invite_only",
        "is_announcement_only",
        "is_archived",
        "is_muted",
        "is_recently_active",
        "is_web_public",
        "message_retention_days",
        "name",
        "pin_to_top",
        "push_notifications",
        "rendered_description",
        "stream_id",
        "stream_post_policy",
        "stream_weekly_traffic",
        "subscriber_count",
        "topics_policy",
        "wildcard_mentions_notify",
    ];
    expected.extend(PERMISSIONS);
    expected.sort_unstable();
    assert_eq!(keys(record), expected);
    assert_eq!(
        record["in_home_view"],
        json!(!record["is_muted"].as_bool().unwrap())
    );
    assert_eq!(record["subscriber_count"], 1);
    assert_eq!(record["topics_policy"], "inherit");
    let color = record["color"].as_str().unwrap();
    assert!(color.len() == 7 && color.starts_with('#') && color == color.to_lowercase());
    for permission in PERMISSIONS {
        let value = &record[permission];
        assert!(
            value.is_i64() || value["direct_members"].is_array(),
            "{permission}: {value}"
        );
    }
}

/// A channel object is the subscription without personal settings; go refuses any other field.
#[test]
fn a_channel_object_has_no_personal_settings() {
    let user = server().user("member");
    let other = server().user("member");
    let channel = fixture::channel(server(), ChannelKind::Public, &[&other]);
    let body = snapshot(&user, &[]);
    let mut expected = vec![
        "creator_id",
        "date_created",
        "description",
        "first_message_id",
        "folder_id",
        "history_public_to_subscribers",
        "invite_only",
        "is_announcement_only",
        "is_archived",
        "is_recently_active",
        "is_web_public",
        "message_retention_days",
        "name",
        "rendered_description",
        "stream_id",
        "stream_post_policy",
        "stream_weekly_traffic",
        "subscriber_count",
        "topics_policy",
    ];
    expected.extend(PERMISSIONS);
    expected.sort_unstable();
    for list in ["streams", "never_subscribed"] {
        let record = find(&body[list], channel.stream_id).unwrap_or_else(|| panic!("{list}"));
        assert_eq!(keys(record), expected, "{list}");
    }
}

#[test]
fn visibility_of_channels_depends_on_role_and_subscription() {
    let member = server().user("member");
    let admin = server().user("administrator");
    let guest = server().user("guest");
    let insider = server().user("member");
    let public = fixture::channel(server(), ChannelKind::Public, &[&insider]);
    let web = fixture::channel(server(), ChannelKind::WebPublic, &[&insider]);
    let private = fixture::channel(server(), ChannelKind::PrivateShared, &[&insider]);
    let shared = fixture::channel(server(), ChannelKind::PrivateProtected, &[&insider, &guest]);
    let sees = |user: &User, list: &str, id: i64| {
        let body = snapshot(user, &[]);
        find(&body[list], id).is_some()
    };
    assert!(sees(&member, "never_subscribed", public.stream_id));
    assert!(sees(&member, "streams", web.stream_id));
    assert!(!sees(&member, "streams", private.stream_id));
    assert!(!sees(&member, "never_subscribed", private.stream_id));
    assert!(
        sees(&admin, "streams", private.stream_id),
        "administrators see all channels"
    );
    assert!(sees(&insider, "subscriptions", private.stream_id));
    assert!(sees(&guest, "subscriptions", shared.stream_id));
    assert!(
        !sees(&guest, "streams", public.stream_id),
        "guests see their channels"
    );
    assert!(!sees(&guest, "never_subscribed", public.stream_id));
    assert!(!sees(&guest, "streams", private.stream_id));
}

#[test]
fn left_channels_are_listed_as_unsubscribed() {
    let user = server().user("member");
    let channel = fixture::channel(server(), ChannelKind::Public, &[&user]);
    fixture::unsubscribe(server(), &user, &channel);
    let body = snapshot(&user, &[]);
    assert!(find(&body["subscriptions"], channel.stream_id).is_none());
    assert!(find(&body["never_subscribed"], channel.stream_id).is_none());
    assert!(find(&body["unsubscribed"], channel.stream_id).is_some());
}

#[test]
fn subscribers_are_included_on_request() {
    let user = server().user("member");
    let other = server().user("member");
    let gone = server().user("member");
    let channel = fixture::channel(server(), ChannelKind::Public, &[&user, &other, &gone]);
    server().admin(&["user", "deactivate", "--email", &gone.email]);
    let mut expected = vec![user.user_id, other.user_id];
    expected.sort_unstable();
    for asked in ["true", "partial"] {
        let body = snapshot(&user, &[("include_subscribers", asked)]);
        let record = find(&body["subscriptions"], channel.stream_id).unwrap();
        let mut found: Vec<i64> = record["subscribers"]
            .as_array()
            .unwrap()
            .iter()
            .map(|id| id.as_i64().unwrap())
            .collect();
        found.sort_unstable();
        assert_eq!(found, expected, "small channels are complete with {asked}");
        assert!(record.get("partial_subscribers").is_none());
        assert_eq!(record["subscriber_count"], 2);
    }
    let body = snapshot(&user, &[("include_subscribers", "false")]);
    let record = find(&body["subscriptions"], channel.stream_id).unwrap();
    assert!(record.get("subscribers").is_none());
}

#[test]
fn default_channels_are_hidden_from_guests() {
    let member = server().user("member");
    let guest = server().user("guest");
    let body = snapshot(&member, &[]);
    assert!(!body["realm_default_streams"].as_array().unwrap().is_empty());
    assert_eq!(snapshot(&guest, &[])["realm_default_streams"], json!([]));
    for id in body["realm_default_streams"].as_array().unwrap() {
        let id = id.as_i64().unwrap();
        assert!(
            find(&body["subscriptions"], id).is_some(),
            "new members join default channels"
        );
    }
}
