//! Changes of the snapshot and of events at single feature levels
//! (docs/protocol/conventions.md#feature-levels). Levels that concern one operation are in the file
//! of that operation.

use serde_json::Value;
use spindle_tests::Queue;
use spindle_tests::fixture::{self, ChannelKind};

use crate::support::{server, settle};

/// Levels 133, 226, 363, 426, 453.
#[test]
fn removed_fields_are_absent() {
    let user = server().user("owner");
    fixture::channel(server(), ChannelKind::Public, &[&user]);
    let state = user.post("/register", &[]).ok();
    for name in [
        "realm_is_zephyr_mirror_realm",
        "realm_giphy_rating",
        "giphy_rating_options",
        "is_billing_admin",
    ] {
        assert!(state.get(name).is_none(), "{name}");
    }
    for (list, names) in [
        ("subscriptions", &["email_address", "role"] as &[&str]),
        ("streams", &["email_address", "role"]),
        ("realm_users", &["is_billing_admin"]),
    ] {
        let records = state[list].as_array().unwrap();
        assert!(!records.is_empty(), "{list}");
        for (record, name) in records
            .iter()
            .flat_map(|one| names.iter().map(move |n| (one, n)))
        {
            assert!(record.get(*name).is_none(), "{name} in {list}");
        }
    }
    let own = user.get("/users/me", &[]).ok();
    assert!(own.get("is_billing_admin").is_none());
}

/// Level 427.
#[test]
fn permissions_are_announced_under_their_new_names() {
    let user = server().user("member");
    let pairs = [("event_types", "[]"), ("fetch_event_types", "[\"realm\"]")];
    let state = user.post("/register", &pairs).ok();
    let supported = &state["server_supported_permission_settings"];
    assert_eq!(
        supported["stream"]["can_administer_channel_group"]["default_group_name"],
        "channel_creator"
    );
    assert!(!supported.to_string().contains("stream_creator_or_nobody"));
}

/// Level 439: a queue with the former types receives no events under them.
#[test]
fn settings_are_sent_under_one_event_type() {
    let user = server().user("member");
    let types = [
        "update_display_settings",
        "update_global_notifications",
        "user_settings",
        "user_status",
    ];
    let (mut queue, mut former) = (Queue::of(&user, &types), Queue::of(&user, &types[..2]));
    let pairs = [("high_contrast_mode", "true"), ("enable_sounds", "false")];
    user.patch("/settings", &pairs).ok();
    let events = settle(&mut queue);
    let received: Vec<&Value> = events
        .iter()
        .filter(|event| event["type"] != "user_status")
        .collect();
    assert_eq!(received.len(), 2, "{received:?}");
    assert!(
        received
            .iter()
            .all(|event| event["type"] == "user_settings")
    );
    assert!(former.poll().is_empty());
}
