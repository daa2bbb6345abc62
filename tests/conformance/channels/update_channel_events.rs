//! PATCH /streams/{stream_id}: the events and their recipients (docs/protocol/events.md#stream).

use serde_json::{Value, json};
use spindle_tests::fixture::{self, ChannelKind};
use spindle_tests::{Queue, User};

use super::{about, path, stream};
use crate::support::{server, settle};

const TYPES: [&str; 3] = ["stream", "subscription", "user_status"];

fn queue(user: &User) -> Queue {
    Queue::of(user, &TYPES)
}

/// One event for each property, the new name last, so that all of them contain the name that
/// clients know.
#[test]
fn each_changed_property_is_one_event() {
    let (owner, member) = (server().user("owner"), server().user("member"));
    let guest = server().user("guest");
    let channel = fixture::channel(server(), ChannelKind::Public, &[&owner]);
    let (mut received, mut excluded) = (queue(&member), queue(&guest));
    let name = spindle_tests::unique("new ");
    let pairs = [
        ("new_name", name.as_str()),
        ("description", "*d*"),
        ("message_retention_days", "7"),
        ("topics_policy", "disable_empty_topic"),
    ];
    owner.patch(&path(&channel), &pairs).ok();
    owner.patch(&path(&channel), &pairs).ok();
    owner
        .patch(&path(&channel), &[("new_name", "")])
        .bad_request();
    let update = |property: &str, value: Value| {
        json!({"type": "stream", "op": "update", "stream_id": channel.stream_id,
            "name": channel.name, "property": property, "value": value})
    };
    let mut description = update("description", json!("*d*"));
    description["rendered_description"] = json!("<p><em>d</em></p>");
    let expected = [
        update("message_retention_days", json!(7)),
        update("topics_policy", json!("disable_empty_topic")),
        description,
        update("name", json!(name)),
    ];
    assert_eq!(about(settle(&mut received), &channel), expected);
    assert!(about(settle(&mut excluded), &channel).is_empty());
}

/// Users who lose access receive the deletion of the channel, users who gain access the whole
/// channel, and users who have access before and after the change.
#[test]
fn changing_the_privacy_makes_a_channel_appear_or_vanish() {
    let (owner, member) = (server().user("owner"), server().user("member"));
    let (outsider, guest) = (server().user("member"), server().user("guest"));
    let inside = server().user("guest");
    let channel = fixture::channel(server(), ChannelKind::Public, &[&owner, &member, &inside]);
    let mut staying = [&owner, &member, &inside, &server().user("administrator")].map(queue);
    let (mut outside, mut far) = (queue(&outsider), queue(&guest));
    let set = |pairs: &[(&str, &str)]| owner.patch(&path(&channel), pairs).ok();
    set(&[
        ("is_private", "true"),
        ("history_public_to_subscribers", "false"),
    ]);
    set(&[("is_private", "false")]);
    set(&[("is_web_public", "true")]);
    set(&[("is_web_public", "false")]);

    let update = |private: bool, history: bool, web: bool| {
        json!({"type": "stream", "op": "update", "stream_id": channel.stream_id,
            "name": channel.name, "property": "invite_only", "value": private,
            "history_public_to_subscribers": history, "is_web_public": web})
    };
    let expected = [
        update(true, false, false),
        update(false, true, false),
        update(false, true, true),
        update(false, true, false),
    ];
    for queue in &mut staying {
        assert_eq!(about(settle(queue), &channel), expected);
    }

    let gone = json!({"type": "stream", "op": "delete", "stream_ids": [channel.stream_id],
        "streams": [{"stream_id": channel.stream_id}]});
    let events = about(settle(&mut outside), &channel);
    assert_eq!(events[0], gone);
    assert_eq!(events[1]["op"], "create");
    let record = stream(&owner, &channel);
    assert_eq!(record["subscriber_count"], 3);
    assert_eq!(events[1]["streams"], json!([record]));
    let mut subscribers = [owner.user_id, member.user_id, inside.user_id];
    subscribers.sort_unstable();
    let peers = json!({"type": "subscription", "op": "peer_add",
        "stream_ids": [channel.stream_id], "user_ids": subscribers});
    assert_eq!(events[2], peers);
    assert_eq!(events[3..], expected[2..]);

    let events = about(settle(&mut far), &channel);
    assert_eq!(events[0]["op"], "create");
    assert_eq!(events[0]["streams"][0]["is_web_public"], true);
    assert_eq!(events[1..], [peers, gone]);
}

/// A permission that opens a private channel makes it appear to the users who get it.
#[test]
fn permissions_make_a_private_channel_appear_or_vanish() {
    let (owner, member) = (server().user("owner"), server().user("member"));
    let (other, guest) = (server().user("member"), server().user("guest"));
    let channel = fixture::channel(server(), ChannelKind::PrivateShared, &[&owner]);
    let mut given = queue(&member);
    let mut nothing = [&other, &guest].map(queue);
    let set = |members: &[i64]| {
        let update = json!({"new": {"direct_members": members, "direct_subgroups": []}});
        let pairs = [("can_subscribe_group", update.to_string())];
        let pairs = pairs
            .each_ref()
            .map(|(name, value)| (*name, value.as_str()));
        owner.patch(&path(&channel), &pairs).ok();
    };
    set(&[member.user_id, guest.user_id]);
    set(&[]);
    let ops: Vec<Value> = about(settle(&mut given), &channel)
        .iter()
        .map(|event| event["op"].clone())
        .collect();
    assert_eq!(ops, ["create", "peer_add", "delete"]);
    for queue in &mut nothing {
        assert!(about(settle(queue), &channel).is_empty());
    }
}
