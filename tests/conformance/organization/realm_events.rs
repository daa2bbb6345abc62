//! Events of PATCH /realm (docs/protocol/events.md#realm, FL 464).

use serde_json::{Value, json};
use spindle_tests::{Queue, User};

use super::{REALM, alone, group_id, realm, reset, settled};

fn queue(user: &User) -> Queue {
    Queue::of(user, &["realm", "user_group", "user_status"])
}

/// The events without their ids.
fn heard(queue: &mut Queue, user: &User) -> Vec<Value> {
    let mut events = settled(queue, user);
    for event in &mut events {
        event.as_object_mut().unwrap().remove("id");
    }
    events
}

#[test]
fn each_plain_setting_is_an_event_of_its_own() {
    let server = alone();
    let (owner, guest) = (server.user("owner"), server.user("guest"));
    let mut queue = queue(&guest);
    let pairs = [
        ("name", "Renamed"),
        ("digest_weekday", "5"),
        ("jitsi_server_url", "https://j.example"),
    ];
    owner.patch(REALM, &pairs).ok();
    let update = |property: &str, value: Value| json!({"type": "realm", "op": "update", "property": property, "value": value});
    assert_eq!(
        heard(&mut queue, &owner),
        [
            update("name", json!("Renamed")),
            update("digest_weekday", json!(5)),
            update("jitsi_server_url", json!("https://j.example")),
        ]
    );
    owner.patch(REALM, &pairs).ok();
    owner.patch(REALM, &[("name", " ")]).bad_request();
    assert!(heard(&mut queue, &owner).is_empty(), "nothing has changed");
    reset(&owner);
}

#[test]
fn grouped_settings_share_one_event() {
    let server = alone();
    let owner = server.user("owner");
    let mut queue = queue(&owner);
    let members = group_id(&owner, "role:members");
    let moderators = group_id(&owner, "role:moderators");
    let pairs = [
        ("description", "see *this*"),
        ("message_content_edit_limit_seconds", "unlimited"),
        ("message_content_delete_limit_seconds", "30"),
        ("topics_policy", "disable_empty_topic"),
        ("message_edit_history_visibility_policy", "none"),
        (
            "can_mention_many_users_group",
            &json!({"new": members}).to_string(),
        ),
        (
            "can_create_public_channel_group",
            &json!({"new": moderators}).to_string(),
        ),
    ];
    owner.patch(REALM, &pairs).ok();
    assert_eq!(
        heard(&mut queue, &owner),
        [
            json!({"type": "realm", "op": "update_dict", "property": "default", "data": {
                "description": "see *this*",
                "rendered_description": "<p>see <em>this</em></p>",
                "message_content_edit_limit_seconds": null,
                "message_content_delete_limit_seconds": 30,
                "topics_policy": "disable_empty_topic",
                "mandatory_topics": true,
                "message_edit_history_visibility_policy": "none",
                "allow_edit_history": false,
                "can_mention_many_users_group": members,
                "wildcard_mention_policy": 2,
                "can_create_public_channel_group": moderators,
                "create_public_stream_policy": 4,
            }})
        ]
    );
    let after = realm(&owner);
    assert_eq!(after["realm_wildcard_mention_policy"], 2);
    assert_eq!(after["realm_create_public_stream_policy"], 4);
    assert_eq!(after["realm_mandatory_topics"], true);
    owner.patch(REALM, &pairs).ok();
    assert!(heard(&mut queue, &owner).is_empty(), "nothing has changed");
    let people = json!({"new": {"direct_members": [owner.user_id], "direct_subgroups": []}});
    let pairs = [("can_mention_many_users_group", people.to_string())];
    let pairs = pairs.each_ref().map(|(name, text)| (*name, text.as_str()));
    owner.patch(REALM, &pairs).ok();
    let events = heard(&mut queue, &owner);
    assert_eq!(
        events[0]["data"]["can_mention_many_users_group"],
        people["new"]
    );
    reset(&owner);
}
