//! DELETE /streams/{stream_id}, and PATCH with is_archived (docs/protocol/events.md#capabilities,
//! docs/protocol/channels.md#archive_channel).

use serde_json::json;
use spindle_tests::fixture::{self, ChannelKind};
use spindle_tests::{Queue, User};

use super::{about, path, stream};
use crate::support::{server, settle};

const CAPABLE: &str = "{\"archived_channels\": true}";

fn queue(user: &User, capabilities: &str) -> Queue {
    let pairs = [
        (
            "event_types",
            "[\"stream\", \"subscription\", \"user_status\"]",
        ),
        ("fetch_event_types", "[\"realm_user\"]"),
        ("client_capabilities", capabilities),
    ];
    Queue::open(user, &pairs)
}

#[test]
fn only_administrators_of_the_channel_or_the_organization_archive() {
    let (admin, member) = (server().user("administrator"), server().user("member"));
    let channel = fixture::channel(server(), ChannelKind::Public, &[&member]);
    let fixtures = [("can_administer_channel_group", "role:nobody")];
    for (name, group) in fixtures {
        fixture::channel_permission(server(), &channel, name, group);
    }
    member
        .delete(&path(&channel), &[])
        .error(400, "CANNOT_ADMINISTER_CHANNEL");
    server()
        .user("guest")
        .delete(&path(&channel), &[])
        .error(400, "STREAM_DOES_NOT_EXIST");
    assert_eq!(stream(&admin, &channel)["is_archived"], false);
    fixture::channel_permission(
        server(),
        &channel,
        "can_administer_channel_group",
        "role:members",
    );
    member.delete(&path(&channel), &[]).ok();
    assert_eq!(stream(&admin, &channel)["is_archived"], true);
    admin.delete(&path(&channel), &[]).bad_request();
}

#[test]
fn an_archived_channel_can_be_read_and_not_changed() {
    let admin = server().user("administrator");
    let channel = fixture::channel(server(), ChannelKind::Public, &[&admin]);
    let message = [
        ("type", "channel"),
        ("to", &channel.id()),
        ("topic", "t"),
        ("content", "before"),
    ];
    let id = admin.post("/messages", &message).ok()["id"].clone();
    admin.delete(&path(&channel), &[]).ok();
    admin.get(&format!("/messages/{id}"), &[]).ok();
    admin.post("/messages", &message).bad_request();
    let rename = [("new_name", "other")];
    admin.patch(&path(&channel), &rename).bad_request();
    // Archiving has an operation of its own.
    let archive = [("is_archived", "true")];
    admin.patch(&path(&channel), &archive).bad_request();
    admin
        .patch(&path(&channel), &[("is_archived", "false")])
        .ok();
    assert_eq!(stream(&admin, &channel)["is_archived"], false);
    assert_eq!(stream(&admin, &channel)["subscriber_count"], 1);
    admin.post("/messages", &message).ok();
    admin
        .patch(&path(&channel), &[("is_archived", "false")])
        .ok();
    admin.patch(&path(&channel), &archive).bad_request();
}

/// Clients that declared the capability for archived channels receive an update. Others receive
/// that the channel is deleted and created, together with the subscriptions of its subscribers;
/// accounts that cannot see the channel receive nothing.
#[test]
fn the_events_of_archiving_depend_on_the_capability() {
    let (admin, member) = (server().user("administrator"), server().user("member"));
    let (outsider, guest) = (server().user("member"), server().user("guest"));
    let channel = fixture::channel(server(), ChannelKind::PrivateShared, &[&member, &guest]);
    let mut capable = [&admin, &member, &guest].map(|user| queue(user, CAPABLE));
    let mut legacy = [&admin, &member].map(|user| queue(user, "{}"));
    let mut none = queue(&outsider, CAPABLE);
    admin.delete(&path(&channel), &[]).ok();
    admin
        .patch(&path(&channel), &[("is_archived", "false")])
        .ok();
    let update = |value: bool| {
        json!({"type": "stream", "op": "update", "stream_id": channel.stream_id,
            "name": channel.name, "property": "is_archived", "value": value})
    };
    for queue in &mut capable {
        let events = about(settle(queue), &channel);
        assert_eq!(events, [update(true), update(false)]);
    }
    for queue in &mut legacy {
        let events = about(settle(queue), &channel);
        let id = channel.stream_id;
        assert_eq!(
            events[0],
            json!({"type": "stream", "op": "delete", "stream_ids": [id],
                "streams": [{"stream_id": id}]})
        );
        assert_eq!(events[1]["op"], "create");
        assert_eq!(events[1]["streams"], json!([stream(&admin, &channel)]));
        let own = &events[2..];
        assert_eq!(own.len(), 1, "{own:?}");
        if queue.state["user_id"] == member.user_id {
            assert_eq!(
                (&own[0]["type"], &own[0]["op"]),
                (&json!("subscription"), &json!("add"))
            );
            assert_eq!(own[0]["subscriptions"][0]["stream_id"], id);
        } else {
            let mut subscribers = [member.user_id, guest.user_id];
            subscribers.sort_unstable();
            assert_eq!(
                own[0],
                json!({"type": "subscription", "op": "peer_add", "stream_ids": [id],
                    "user_ids": subscribers})
            );
        }
    }
    assert!(about(settle(&mut none), &channel).is_empty());
}

#[test]
fn an_archived_channel_is_removed_from_the_default_channels() {
    let admin = server().user("administrator");
    let channel = fixture::channel(server(), ChannelKind::Public, &[]);
    let pairs = [("stream_id", channel.id())];
    let pairs = pairs
        .each_ref()
        .map(|(name, value)| (*name, value.as_str()));
    admin.post("/default_streams", &pairs).ok();
    let mut queue = Queue::of(&admin, &["default_streams", "user_status"]);
    admin.delete(&path(&channel), &[]).ok();
    let events = settle(&mut queue);
    assert!(events.iter().any(|event| {
        let list = event["default_streams"].as_array();
        list.is_some_and(|list| !list.contains(&json!(channel.stream_id)))
    }));
    admin.post("/default_streams", &pairs).bad_request();
}
