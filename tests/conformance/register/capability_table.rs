//! Every capability of `client_capabilities`, on and off, in the snapshot and in the events that
//! follow (docs/protocol/events.md#capabilities).
//!
//! A case reads the part that matters from both. All cases run on a server of their own, because
//! some change the organization. Details of single capabilities are in `capabilities`.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use spindle_tests::fixture::{self, Channel, ChannelKind};
use spindle_tests::images::png;
use spindle_tests::{Options, Queue, Server, User, unique};

struct World {
    server: Server,
    owner: User,
    /// A user who registers both with the capability and without it.
    viewer: User,
    /// The viewer is subscribed to both.
    channel: Channel,
    archived: Channel,
}

/// One capability.
struct Case {
    capability: &'static str,
    /// Creates the data that the snapshot shows or hides.
    prepare: fn(&World) -> Value,
    /// Fetch types.
    fetch: &'static str,
    /// The part of the snapshot that depends on the capability. The second argument is the result
    /// of `prepare`.
    snapshot: fn(&Value, &Value) -> Value,
    with: fn(&Value) -> Value,
    without: fn(&Value) -> Value,
    /// Wire type of the events to read; empty if no events depend on the capability.
    event_type: &'static str,
    /// A change that sends events; its result is passed to `received`.
    act: fn(&World, &Value) -> Value,
    /// The part of the events that depends on the capability.
    received: fn(&[Value], &Value) -> Value,
    event_with: fn(&Value) -> Value,
    event_without: fn(&Value) -> Value,
}

fn nothing(_: &World) -> Value {
    Value::Null
}
fn no_act(_: &World, _: &Value) -> Value {
    Value::Null
}
fn null(_: &Value) -> Value {
    Value::Null
}
fn yes(_: &Value) -> Value {
    json!(true)
}
fn no(_: &Value) -> Value {
    json!(false)
}

fn find<'a>(list: &'a Value, key: &str, id: &Value) -> Option<&'a Value> {
    list.as_array()?.iter().find(|item| &item[key] == id)
}

fn ops(events: &[Value], _: &Value) -> Value {
    events.iter().map(|event| event["op"].clone()).collect()
}

fn send(from: &User, to: &str, kind: &str, topic: &str) -> Value {
    let pairs = [
        ("type", kind),
        ("to", to),
        ("topic", topic),
        ("content", "x"),
    ];
    from.post("/messages", &pairs).ok()["id"].clone()
}

fn archive(world: &World, channel: &Channel) {
    let path = format!("/streams/{}", channel.id());
    world.owner.delete(&path, &[]).ok();
}

/// A setting of a subscription that is null while the user's default applies.
const INHERITING: &str = "desktop_notifications";

const CASES: &[Case] = &[
    Case {
        capability: "notification_settings_null",
        prepare: |world| json!(world.channel.stream_id),
        fetch: "subscription",
        snapshot: |state, id| {
            find(&state["subscriptions"], "stream_id", id).expect("in it")[INHERITING].clone()
        },
        with: null,
        without: yes_or_no,
        event_type: "subscription",
        act: |world, _| {
            let new = fixture::channel(&world.server, ChannelKind::Public, &[]);
            let wishes = json!([{"name": new.name}]).to_string();
            let pairs = [("subscriptions", wishes.as_str())];
            world.viewer.post("/users/me/subscriptions", &pairs).ok();
            json!(new.stream_id)
        },
        received: |events, _| events[0]["subscriptions"][0][INHERITING].clone(),
        event_with: null,
        event_without: yes_or_no,
    },
    Case {
        capability: "user_avatar_url_field_optional",
        prepare: |world| {
            let gone = world.server.user("member");
            world
                .server
                .admin(&["user", "deactivate", "--email", &gone.email]);
            json!(gone.user_id)
        },
        fetch: "realm_user",
        snapshot: |state, id| {
            let person = find(&state["realm_non_active_users"], "user_id", id).expect("listed");
            json!(person.get("avatar_url").is_some())
        },
        with: no,
        without: yes,
        event_type: "",
        act: no_act,
        received: |_, _| Value::Null,
        event_with: null,
        event_without: null,
    },
    Case {
        capability: "user_settings_object",
        prepare: nothing,
        fetch: "user_settings",
        snapshot: |state, _| json!(state["user_settings"].is_object()),
        with: yes,
        without: yes,
        event_type: "user_settings",
        act: |world, _| {
            let pairs = [("enter_sends", "true")];
            world.viewer.patch("/settings", &pairs).ok();
            world
                .viewer
                .patch("/settings", &[("enter_sends", "false")])
                .ok();
            Value::Null
        },
        received: ops,
        event_with: |_| json!(["update", "update"]),
        event_without: |_| json!(["update", "update"]),
    },
    Case {
        capability: "linkifier_url_template",
        prepare: |world| {
            let pairs = [
                ("pattern", "#(?P<id>[0-9]+)"),
                ("url_template", "https://x.example/{id}"),
            ];
            world.owner.post("/realm/filters", &pairs).ok()["id"].clone()
        },
        fetch: "realm_linkifiers",
        snapshot: |state, id| json!(find(&state["realm_linkifiers"], "id", id).is_some()),
        with: yes,
        without: no,
        event_type: "realm_linkifiers",
        act: |world, id| {
            world
                .owner
                .delete(&format!("/realm/filters/{id}"), &[])
                .ok();
            Value::Null
        },
        received: |events, _| json!(events.len()),
        event_with: |_| json!(1),
        event_without: |_| json!(0),
    },
    Case {
        capability: "include_deactivated_groups",
        prepare: |world| {
            let group = group(world);
            deactivate(world, &group);
            group
        },
        fetch: "realm_user_groups",
        snapshot: |state, id| json!(find(&state["realm_user_groups"], "id", id).is_some()),
        with: yes,
        without: no,
        event_type: "user_group",
        act: |world, old| {
            let path = format!("/user_groups/{old}");
            world.owner.patch(&path, &[("deactivated", "false")]).ok();
            deactivate(world, old);
            Value::Null
        },
        received: ops,
        event_with: |_| json!(["update", "update"]),
        event_without: |_| json!(["add", "remove"]),
    },
    Case {
        capability: "archived_channels",
        prepare: |world| {
            archive(world, &world.archived);
            json!(world.archived.stream_id)
        },
        fetch: "subscription stream",
        snapshot: |state, id| {
            let lists = ["subscriptions", "streams"];
            json!(lists.map(|list| find(&state[list], "stream_id", id).is_some()))
        },
        with: |_| json!([true, true]),
        without: |_| json!([false, false]),
        event_type: "stream subscription",
        act: |world, id| {
            // An archived channel is not sent to clients without the capability.
            let mute = json!([{"stream_id": id, "property": "pin_to_top", "value": true}]);
            let pairs = [("subscription_data", mute.to_string())];
            let pairs = pairs.each_ref().map(|(name, data)| (*name, data.as_str()));
            world
                .viewer
                .post("/users/me/subscriptions/properties", &pairs)
                .ok();
            let path = format!("/streams/{id}");
            world.owner.patch(&path, &[("is_archived", "false")]).ok();
            archive(world, &world.archived);
            Value::Null
        },
        received: |events, _| {
            let name = |event: &Value| {
                let text = |key: &str| event[key].as_str().unwrap_or("").to_owned();
                format!("{} {}", text("type"), text("op"))
            };
            json!(events.iter().map(name).collect::<Vec<_>>())
        },
        event_with: |_| json!(["subscription update", "stream update", "stream update"]),
        event_without: |_| json!(["stream create", "subscription add", "stream delete"]),
    },
    Case {
        capability: "empty_topic_name",
        prepare: |world| {
            send(&world.owner, &world.channel.id(), "channel", "");
            json!(world.channel.stream_id)
        },
        fetch: "message update_message_flags",
        snapshot: |state, id| {
            find(&state["unread_msgs"]["streams"], "stream_id", id).expect("unread")["topic"]
                .clone()
        },
        with: |_| json!(""),
        without: |_| json!("general chat"),
        event_type: "message",
        act: |world, _| send(&world.owner, &world.channel.id(), "channel", ""),
        received: |events, _| events[0]["message"]["subject"].clone(),
        event_with: |_| json!(""),
        event_without: |_| json!("general chat"),
    },
    Case {
        capability: "empty_topic_name",
        prepare: |world| {
            set_topic_policy(world, "3");
            json!(world.channel.stream_id)
        },
        fetch: "user_topic",
        snapshot: |state, id| {
            find(&state["user_topics"], "stream_id", id).expect("followed")["topic_name"].clone()
        },
        with: |_| json!(""),
        without: |_| json!("general chat"),
        event_type: "user_topic",
        act: |world, _| {
            set_topic_policy(world, "1");
            Value::Null
        },
        received: |events, _| events[0]["topic_name"].clone(),
        event_with: |_| json!(""),
        event_without: |_| json!("general chat"),
    },
    Case {
        capability: "empty_topic_name",
        prepare: |world| send(&world.owner, &world.channel.id(), "channel", ""),
        fetch: "realm",
        snapshot: |state, _| state["realm_empty_topic_display_name"].clone(),
        with: |_| json!("general chat"),
        without: |_| json!("general chat"),
        event_type: "update_message_flags delete_message",
        act: |world, id| {
            for op in ["add", "remove"] {
                let messages = json!([id]).to_string();
                let pairs = [
                    ("messages", messages.as_str()),
                    ("op", op),
                    ("flag", "read"),
                ];
                world.viewer.post("/messages/flags", &pairs).ok();
            }
            world.owner.delete(&format!("/messages/{id}"), &[]).ok();
            id.clone()
        },
        received: |events, id| {
            json!([
                &events[1]["message_details"][id.to_string()]["topic"],
                &events[2]["topic"],
            ])
        },
        event_with: |_| json!(["", ""]),
        event_without: |_| json!(["general chat", "general chat"]),
    },
    Case {
        capability: "bulk_message_deletion",
        prepare: |world| send(&world.owner, &world.channel.id(), "channel", "t"),
        fetch: "message",
        snapshot: |state, _| json!(state["max_message_id"].is_i64()),
        with: yes,
        without: yes,
        event_type: "delete_message",
        act: |world, id| {
            world.owner.delete(&format!("/messages/{id}"), &[]).ok();
            id.clone()
        },
        received: |events, _| json!([events[0].get("message_ids"), events[0].get("message_id")]),
        event_with: |received| json!([[received[0][0].as_i64().expect("an id")], null]),
        event_without: |received| json!([null, received[1].as_i64().expect("an id")]),
    },
    Case {
        capability: "simplified_presence_events",
        prepare: |world| {
            world
                .owner
                .post("/users/me/presence", &[("status", "active")])
                .ok();
            json!([world.owner.id(), world.owner.email])
        },
        fetch: "presence",
        snapshot: |state, keys| {
            let has = |key: &Value| {
                state["presences"]
                    .get(key.as_str().expect("a key"))
                    .is_some()
            };
            json!([has(&keys[0]), has(&keys[1])])
        },
        with: |_| json!([true, false]),
        without: |_| json!([false, true]),
        event_type: "presence",
        act: |world, _| {
            let new = world.server.user("member");
            new.post("/users/me/presence", &[("status", "active")]).ok();
            Value::Null
        },
        received: |events, _| {
            json!([
                events[0].get("presences").is_some(),
                events[0].get("email").is_some()
            ])
        },
        event_with: |_| json!([true, false]),
        event_without: |_| json!([false, true]),
    },
    Case {
        capability: "individual_emoji_changes",
        prepare: nothing,
        fetch: "realm_emoji",
        snapshot: |state, _| json!(state["realm_emoji"].is_object()),
        with: yes,
        without: yes,
        event_type: "realm_emoji",
        act: |world, _| {
            let path = format!("/realm/emoji/{}", unique("table-").to_lowercase());
            world.owner.upload(&path, "e.png", &png(20, 20)).ok();
            world.owner.delete(&path, &[]).ok();
            Value::Null
        },
        received: ops,
        event_with: |_| json!(["add", "edit", "update_one", "remove"]),
        event_without: |_| json!(["update", "update"]),
    },
    Case {
        capability: "user_list_incomplete",
        prepare: |world| json!(world.server.user("member").user_id),
        fetch: "realm_user",
        snapshot: |state, id| json!(find(&state["realm_users"], "user_id", id).is_some()),
        with: no,
        without: yes,
        event_type: "realm_user",
        act: |world, _| json!(world.server.user("member").user_id),
        received: |events, id| json!(events.iter().any(|event| &event["person"]["user_id"] == id)),
        event_with: no,
        event_without: yes,
    },
];

/// The viewer's policy for the empty topic of the channel.
fn set_topic_policy(world: &World, policy: &str) {
    let channel = world.channel.id();
    let pairs = [
        ("stream_id", channel.as_str()),
        ("topic", ""),
        ("visibility_policy", policy),
    ];
    world.viewer.post("/user_topics", &pairs).ok();
}

/// A boolean in place of null.
fn yes_or_no(found: &Value) -> Value {
    assert!(found.is_boolean(), "{found}");
    found.clone()
}

fn group(world: &World) -> Value {
    let name = unique("group ");
    let members = json!([world.owner.user_id]).to_string();
    let pairs = [
        ("name", name.as_str()),
        ("description", ""),
        ("members", &members),
    ];
    world.owner.post("/user_groups/create", &pairs).ok()["group_id"].clone()
}

fn deactivate(world: &World, group: &Value) {
    let path = format!("/user_groups/{group}/deactivate");
    world.owner.post(&path, &[]).ok();
}

/// Only the snapshot of a guest can lack users.
fn world(server: Server, role: &str) -> World {
    let (owner, viewer) = (server.user("owner"), server.user(role));
    let channel = || fixture::channel(&server, ChannelKind::Public, &[&owner, &viewer]);
    let [channel, archived] = [channel(), channel()];
    World {
        server,
        owner,
        viewer,
        channel,
        archived,
    }
}

fn open(world: &World, case: &Case, is_on: bool) -> Queue {
    let list = |names: &str| json!(names.split_whitespace().collect::<Vec<_>>()).to_string();
    let capabilities = json!({case.capability: is_on}).to_string();
    let types = list(&format!("{} user_status", case.event_type));
    let pairs = [
        ("event_types", types.as_str()),
        ("fetch_event_types", &list(case.fetch)),
        ("client_capabilities", &capabilities),
    ];
    Queue::open(&world.viewer, &pairs)
}

/// The events of the case's types that have arrived before a status that is set now.
fn received(world: &World, case: &Case, queue: &mut Queue) -> Vec<Value> {
    let text = unique("end ");
    let pairs = [("status_text", text.as_str())];
    world.viewer.post("/users/me/status", &pairs).ok();
    let events = queue.until(|event| event["status_text"] == text.as_str());
    let types: BTreeSet<&str> = case.event_type.split_whitespace().collect();
    events
        .into_iter()
        .filter(|event| types.contains(event["type"].as_str().expect("a type")))
        .collect()
}

fn run(world: &World, case: &Case) {
    let name = case.capability;
    let made = (case.prepare)(world);
    let mut queues = [true, false].map(|is_on| open(world, case, is_on));
    let done = (case.act)(world, &made);
    for (queue, expected, event_expected) in queues
        .iter_mut()
        .zip([
            (case.with, case.event_with),
            (case.without, case.event_without),
        ])
        .map(|(queue, (snapshot, received))| (queue, snapshot, received))
    {
        let shown = (case.snapshot)(&queue.state, &made);
        assert_eq!(shown, expected(&shown), "{name}: snapshot");
        let events = received(world, case, queue);
        let said = (case.received)(&events, &done);
        assert_eq!(said, event_expected(&said), "{name}: {events:?}");
    }
}

#[test]
fn each_capability_decides_between_two_forms() {
    let world = world(Server::own(Options::default()), "member");
    let confined = world_of_a_guest();
    for case in CASES {
        let is_about_guests = case.capability == "user_list_incomplete";
        run(if is_about_guests { &confined } else { &world }, case);
    }
}

fn world_of_a_guest() -> World {
    let server = Server::own(Options::default());
    let groups = server.user("owner").get("/user_groups", &[]).ok();
    let members = find(&groups["user_groups"], "name", &json!("role:members")).expect("it");
    let update = json!({"new": members["id"]}).to_string();
    let pairs = [("can_access_all_users_group", update.as_str())];
    server.user("owner").patch("/realm", &pairs).ok();
    world(server, "guest")
}
