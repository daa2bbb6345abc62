//! `user_group` events: payload, audience, and their form for older clients
//! (docs/protocol/user-groups.md#update_user_group,
//! docs/protocol/user-groups.md#update_user_group_subgroups, docs/protocol/events.md#capabilities,
//! docs/protocol/events.md#user_group).

use serde_json::{Value, json};
use spindle_tests::fixture::{self, ChannelKind};
use spindle_tests::{Queue, User, unique};

use super::{allow, group, group_of, nameless, path, record, set_permission, sub};
use crate::support::{server, settle};

fn queue(user: &User, knows_deactivated: bool) -> Queue {
    let capabilities = json!({"include_deactivated_groups": knows_deactivated}).to_string();
    Queue::open(
        user,
        &[
            ("event_types", "[\"user_group\", \"user_status\"]"),
            ("fetch_event_types", "[]"),
            ("client_capabilities", &capabilities),
        ],
    )
}

/// The events about one group, without their ids.
fn about(queue: &mut Queue, id: i64) -> Vec<Value> {
    let mut events = settle(queue);
    events.retain(|event| event["group_id"] == id || event["group"]["id"] == id);
    for event in &mut events {
        event.as_object_mut().unwrap().remove("id");
        assert_eq!(
            event.as_object_mut().unwrap().remove("type"),
            Some(json!("user_group"))
        );
    }
    events
}

#[test]
fn every_change_of_a_group_is_broadcast() {
    let (ann, guest) = (server().user("member"), server().user("guest"));
    let mut queues = [queue(&ann, true), queue(&guest, false)];
    let id = group_of(&ann, &[&ann]);
    let made = record(&ann, id);
    let other = group(&ann);
    let name = unique("renamed ");
    ann.patch(&path(id), &[("name", &name), ("description", "new")])
        .ok();
    let value = nameless(&[ann.user_id], &[other]);
    allow(&ann, id, "can_join_group", &value);
    let members = json!([guest.user_id]).to_string();
    ann.post(&sub(id, "members"), &[("add", &members)]).ok();
    ann.post(&sub(id, "members"), &[("delete", &members)]).ok();
    let subgroups = json!([other]).to_string();
    ann.post(&sub(id, "subgroups"), &[("add", &subgroups)]).ok();
    ann.post(&sub(id, "subgroups"), &[("delete", &subgroups)])
        .ok();
    // A failing call sends no event.
    ann.post(
        &sub(id, "subgroups"),
        &[("add", &subgroups), ("delete", "[99999999]")],
    )
    .bad_request();
    let expected = [
        json!({"op": "add", "group": made}),
        json!({"op": "update", "group_id": id, "data": {"name": name}}),
        json!({"op": "update", "group_id": id, "data": {"description": "new"}}),
        json!({"op": "update", "group_id": id, "data": {"can_join_group": value}}),
        json!({"op": "add_members", "group_id": id, "user_ids": [guest.user_id]}),
        json!({"op": "remove_members", "group_id": id, "user_ids": [guest.user_id]}),
        json!({"op": "add_subgroups", "group_id": id, "direct_subgroup_ids": [other]}),
        json!({"op": "remove_subgroups", "group_id": id, "direct_subgroup_ids": [other]}),
    ];
    for queue in &mut queues {
        assert_eq!(about(queue, id), expected);
    }
}

/// With the capability, deactivation is an update. Without it the group is removed and added again,
/// and no events are sent in between.
#[test]
fn events_of_deactivated_groups_depend_on_the_capability() {
    let ann = server().user("member");
    let id = group_of(&ann, &[&ann]);
    let (other, old_name) = (group(&ann), record(&ann, id)["name"].clone());
    let (mut new, mut old) = (queue(&ann, true), queue(&ann, false));
    ann.post(&sub(id, "deactivate"), &[]).ok();
    ann.patch(&path(id), &[("description", "quiet")]).ok();
    let members = json!([ann.user_id]).to_string();
    ann.post(&sub(id, "members"), &[("delete", &members)]).ok();
    let subgroups = json!([other]).to_string();
    ann.post(&sub(id, "subgroups"), &[("add", &subgroups)]).ok();
    let value = json!({"new": nameless(&[ann.user_id], &[])}).to_string();
    let name = unique("returned ");
    let pairs = [
        ("deactivated", "false"),
        ("name", name.as_str()),
        ("can_join_group", &value),
    ];
    ann.patch(&path(id), &pairs).ok();
    assert_ne!(old_name, json!(name));
    let update = |data: Value| json!({"op": "update", "group_id": id, "data": data});
    let mut returned = record(&ann, id);
    let joins = returned["can_join_group"].take();
    assert_eq!(joins, nameless(&[ann.user_id], &[]));
    assert_eq!(
        about(&mut new, id),
        [
            update(json!({"deactivated": true})),
            update(json!({"description": "quiet"})),
            json!({"op": "remove_members", "group_id": id, "user_ids": [ann.user_id]}),
            json!({"op": "add_subgroups", "group_id": id, "direct_subgroup_ids": [other]}),
            update(json!({"name": name})),
            update(json!({"deactivated": false})),
            update(json!({"can_join_group": joins})),
        ]
    );
    let mut events = about(&mut old, id);
    assert_eq!(events.len(), 3);
    // The event has the record of that moment; further changes of the same call follow.
    events[1]["group"]["can_join_group"].take();
    assert_eq!(
        events,
        [
            json!({"op": "remove", "group_id": id}),
            json!({"op": "add", "group": returned}),
            update(json!({"can_join_group": joins})),
        ]
    );
}

/// Members added to a group that can see a private channel receive the channel; removed members
/// lose it unless they are subscribed.
#[test]
fn private_channels_appear_and_vanish_with_group_membership() {
    let people: Vec<User> = (0..3).map(|_| server().user("member")).collect();
    let (ann, bob, cem) = (&people[0], &people[1], &people[2]);
    let channel = fixture::channel(server(), ChannelKind::PrivateShared, &[ann, cem]);
    let (outer, inner) = (group(ann), group(ann));
    set_permission("channel", channel.stream_id, "can_subscribe_group", outer);
    let subgroups = json!([inner]).to_string();
    ann.post(&sub(outer, "subgroups"), &[("add", &subgroups)])
        .ok();
    let types = ["stream", "user_status"];
    let mut queues = [Queue::of(bob, &types), Queue::of(cem, &types)];
    let received = |queue: &mut Queue| -> Vec<(Value, i64)> {
        let mut received = Vec::new();
        for event in settle(queue) {
            let streams = event["streams"].as_array().cloned().unwrap_or_default();
            for stream in streams
                .iter()
                .filter(|stream| stream["stream_id"] == channel.stream_id)
            {
                received.push((event["op"].clone(), stream["stream_id"].as_i64().unwrap()));
            }
        }
        received
    };
    let members = json!([bob.user_id, cem.user_id]).to_string();
    for list in ["add", "delete"] {
        ann.post(&sub(inner, "members"), &[(list, &members)]).ok();
    }
    ann.post(&sub(inner, "members"), &[("add", &members)]).ok();
    for list in ["delete", "add"] {
        ann.post(&sub(outer, "subgroups"), &[(list, &subgroups)])
            .ok();
    }
    let expected: Vec<(Value, i64)> = ["create", "delete", "create", "delete", "create"]
        .iter()
        .map(|op| (json!(op), channel.stream_id))
        .collect();
    assert_eq!(received(&mut queues[0]), expected);
    assert_eq!(received(&mut queues[1]), []);
}

/// The name of the section selects the events too (docs/protocol/events.md#event-types).
#[test]
fn both_names_of_the_event_type_are_accepted() {
    let ann = server().user("member");
    let types = r#"["realm_user_groups", "user_status"]"#;
    let pairs = [("event_types", types), ("fetch_event_types", "[]")];
    let mut queue = Queue::open(&ann, &pairs);
    let id = group(&ann);
    let received = about(&mut queue, id);
    assert_eq!(received, [json!({"op": "add", "group": record(&ann, id)})]);
}
