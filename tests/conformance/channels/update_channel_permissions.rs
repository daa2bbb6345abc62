//! PATCH /streams/{stream_id}: permissions in update form
//! (docs/protocol/permissions.md#group-setting-value, docs/protocol/channels.md#update_channel).

use serde_json::{Value, json};
use spindle_tests::fixture::{self, Channel, ChannelKind};
use spindle_tests::{Queue, Reply, User};

use super::{about, path, stream};
use crate::support::{server, settle};

fn group(name: &str) -> i64 {
    server()
        .database()
        .query_row(
            "SELECT id FROM user_groups WHERE name = ?1",
            [name],
            |row| row.get(0),
        )
        .expect("a system group")
}

fn set(user: &User, channel: &Channel, name: &str, update: &Value) -> Reply {
    user.patch(&path(channel), &[(name, &update.to_string())])
}

#[test]
fn every_permission_is_stored_normalised() {
    let owner = server().user("owner");
    let channel = fixture::channel(server(), ChannelKind::Public, &[&owner]);
    let (members, nobody) = (group("role:members"), group("role:nobody"));
    for name in [
        "can_add_subscribers_group",
        "can_remove_subscribers_group",
        "can_administer_channel_group",
        "can_delete_any_message_group",
        "can_delete_own_message_group",
        "can_move_messages_out_of_channel_group",
        "can_move_messages_within_channel_group",
        "can_send_message_group",
        "can_subscribe_group",
        "can_resolve_topics_group",
        "can_create_topic_group",
    ] {
        for (sent, stored) in [
            (json!(members), json!(members)),
            (
                json!({"direct_members": [], "direct_subgroups": []}),
                json!(nobody),
            ),
            (
                json!({"direct_members": [], "direct_subgroups": [members]}),
                json!(members),
            ),
            (
                json!({"direct_members": [owner.user_id], "direct_subgroups": [members]}),
                json!({"direct_members": [owner.user_id], "direct_subgroups": [members]}),
            ),
        ] {
            set(&owner, &channel, name, &json!({"new": sent})).ok();
            assert_eq!(stream(&owner, &channel)[name], stored, "{name}");
        }
        let internet = json!({"new": group("role:internet")});
        set(&owner, &channel, name, &internet).bad_request();
        set(&owner, &channel, name, &json!({"new": 99_999_999})).bad_request();
    }
}

#[test]
fn an_expectation_that_is_not_met_is_refused() {
    let admin = server().user("administrator");
    let channel = fixture::channel(server(), ChannelKind::Public, &[]);
    let (everyone, members) = (group("role:everyone"), group("role:members"));
    let name = "can_send_message_group";
    let wrong = json!({"new": members, "old": members});
    set(&admin, &channel, name, &wrong).error(400, "EXPECTATION_MISMATCH");
    assert_eq!(stream(&admin, &channel)[name], everyone);
    let right = json!({"new": members, "old": everyone});
    set(&admin, &channel, name, &right).ok();
    assert_eq!(stream(&admin, &channel)[name], members);
}

/// These permissions let their holders read the channel, so only users who can read it may assign
/// them.
#[test]
fn only_readers_assign_permissions_that_open_a_private_channel() {
    let (admin, member) = (server().user("administrator"), server().user("member"));
    let channel = fixture::channel(server(), ChannelKind::PrivateShared, &[]);
    let update = json!({"new": group("role:members")});
    for name in ["can_add_subscribers_group", "can_subscribe_group"] {
        set(&admin, &channel, name, &update).bad_request();
    }
    set(&admin, &channel, "can_send_message_group", &update).ok();
    fixture::subscribe(server(), &admin, &channel);
    member
        .get(&path(&channel), &[])
        .error(400, "STREAM_DOES_NOT_EXIST");
    set(&admin, &channel, "can_subscribe_group", &update).ok();
    member.get(&path(&channel), &[]).ok();
}

/// FL 407: a permission of the organization, which moderators have by default.
#[test]
fn deletion_permissions_are_set_by_those_who_may_set_them() {
    let (member, moderator) = (server().user("member"), server().user("moderator"));
    let channel = fixture::channel(server(), ChannelKind::Public, &[]);
    fixture::channel_permission(
        server(),
        &channel,
        "can_administer_channel_group",
        "role:members",
    );
    let update = json!({"new": group("role:moderators")});
    for name in [
        "can_delete_any_message_group",
        "can_delete_own_message_group",
    ] {
        set(&member, &channel, name, &update).bad_request();
        set(&moderator, &channel, name, &update).ok();
    }
    set(&member, &channel, "can_resolve_topics_group", &update).ok();
}

#[test]
fn topics_cannot_be_restricted_in_a_channel_with_protected_history() {
    let admin = server().user("administrator");
    let channel = fixture::channel(server(), ChannelKind::PrivateProtected, &[&admin]);
    let update = json!({"new": group("role:members")});
    let name = "can_create_topic_group";
    set(&admin, &channel, name, &update).bad_request();
    let shown = [("history_public_to_subscribers", "true")];
    admin.patch(&path(&channel), &shown).ok();
    set(&admin, &channel, name, &update).ok();
    let hidden = [("history_public_to_subscribers", "false")];
    admin.patch(&path(&channel), &hidden).bad_request();
    let everyone = json!({"new": group("role:everyone")}).to_string();
    let both = [hidden[0], (name, everyone.as_str())];
    admin.patch(&path(&channel), &both).ok();
}

#[test]
fn sending_and_starting_topics_obey_the_permissions() {
    let (admin, member) = (server().user("administrator"), server().user("member"));
    let channel = fixture::channel(server(), ChannelKind::Public, &[&admin, &member]);
    let send = |user: &User, topic: &str| {
        let id = channel.id();
        let pairs = [
            ("type", "channel"),
            ("to", id.as_str()),
            ("topic", topic),
            ("content", "x"),
        ];
        user.post("/messages", &pairs)
    };
    let update = json!({"new": group("role:administrators")});
    set(&admin, &channel, "can_create_topic_group", &update).ok();
    send(&member, "old").bad_request();
    send(&admin, "old").ok();
    send(&member, "old").ok();
    set(&admin, &channel, "can_send_message_group", &update).ok();
    send(&member, "old").bad_request();
    let own = json!({"new": {"direct_members": [member.user_id], "direct_subgroups": []}});
    set(&admin, &channel, "can_send_message_group", &own).ok();
    send(&member, "old").ok();
    send(&admin, "old").bad_request();
}

/// The deprecated fields are derived from the permission to send, in the record and in events.
#[test]
fn deprecated_fields_are_derived_from_the_permission_to_send() {
    let (admin, member) = (server().user("administrator"), server().user("member"));
    let channel = fixture::channel(server(), ChannelKind::Public, &[]);
    let mut queue = Queue::of(&member, &["stream", "user_status"]);
    for (holder, policy) in [
        ("role:administrators", 2),
        ("role:fullmembers", 3),
        ("role:moderators", 4),
        ("role:everyone", 1),
    ] {
        let update = json!({"new": group(holder)});
        set(&admin, &channel, "can_send_message_group", &update).ok();
        let record = stream(&member, &channel);
        assert_eq!(record["stream_post_policy"], policy, "{holder}");
        assert_eq!(record["is_announcement_only"], policy == 2, "{holder}");
    }
    let received: Vec<(String, Value)> = about(settle(&mut queue), &channel)
        .iter()
        .map(|event| {
            let property = event["property"].as_str().unwrap().to_owned();
            (property, event["value"].clone())
        })
        .collect();
    let received: Vec<(&str, Value)> = received
        .iter()
        .map(|(property, value)| (property.as_str(), value.clone()))
        .collect();
    let group = |name| json!(group(name));
    assert_eq!(
        received,
        [
            ("can_send_message_group", group("role:administrators")),
            ("stream_post_policy", json!(2)),
            ("is_announcement_only", json!(true)),
            ("can_send_message_group", group("role:fullmembers")),
            ("stream_post_policy", json!(3)),
            ("is_announcement_only", json!(false)),
            ("can_send_message_group", group("role:moderators")),
            ("stream_post_policy", json!(4)),
            ("can_send_message_group", group("role:everyone")),
            ("stream_post_policy", json!(1)),
        ]
    );
}
