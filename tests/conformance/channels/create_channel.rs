//! POST /channels/create (docs/protocol/events.md#stream,
//! docs/protocol/channels.md#create_channel).

use serde_json::{Value, json};
use spindle_tests::fixture::{self, ChannelKind};
use spindle_tests::{Queue, Reply, User, unique};

use super::about;
use crate::support::{server, settle};

const PATH: &str = "/channels/create";

fn create(user: &User, name: &str, subscribers: &[i64], further: &[(&str, &str)]) -> Reply {
    let list = serde_json::to_string(subscribers).unwrap();
    let mut pairs = vec![("name", name), ("subscribers", list.as_str())];
    pairs.extend(further);
    user.post(PATH, &pairs)
}

#[track_caller]
fn created(user: &User, further: &[(&str, &str)]) -> Value {
    let name = unique("made ");
    let id = create(user, &name, &[], further).ok()["id"].clone();
    let viewer = server().user("owner");
    viewer.get(&format!("/streams/{id}"), &[]).ok()["stream"].clone()
}

#[test]
fn a_new_channel_has_the_requested_properties() {
    let owner = server().user("owner");
    let folder = {
        let name = unique("folder ");
        let pairs = [("name", name.as_str()), ("description", "")];
        owner.post("/channel_folders/create", &pairs).ok()["channel_folder_id"].clone()
    };
    let holder = json!({"direct_members": [owner.user_id], "direct_subgroups": []});
    let record = created(
        &owner,
        &[
            ("description", "*new*"),
            ("invite_only", "true"),
            ("history_public_to_subscribers", "true"),
            ("message_retention_days", "30"),
            ("topics_policy", "disable_empty_topic"),
            ("folder_id", &folder.to_string()),
            ("can_send_message_group", &holder.to_string()),
            ("announce", "true"),
            ("send_new_subscription_messages", "false"),
        ],
    );
    assert_eq!(record["rendered_description"], "<p><em>new</em></p>");
    assert_eq!(record["invite_only"], true);
    assert_eq!(record["history_public_to_subscribers"], true);
    assert_eq!(record["message_retention_days"], 30);
    assert_eq!(record["topics_policy"], "disable_empty_topic");
    assert_eq!(record["folder_id"], folder);
    assert_eq!(record["can_send_message_group"], holder);
    assert_eq!(
        record["can_administer_channel_group"], holder,
        "the creator"
    );
    assert_eq!(record["creator_id"], owner.user_id);
    assert_eq!(
        record["subscriber_count"], 0,
        "the creator is not subscribed"
    );
    assert_eq!(record["stream_weekly_traffic"], Value::Null);
    assert_eq!(record["is_recently_active"], true);
    let plain = created(&owner, &[]);
    assert_eq!(plain["topics_policy"], "inherit");
    assert_eq!(plain["message_retention_days"], Value::Null);
    assert_eq!(plain["history_public_to_subscribers"], true);
    let private = created(&owner, &[("invite_only", "true")]);
    assert_eq!(private["history_public_to_subscribers"], false);
}

#[test]
fn names_are_unique_and_parameters_are_checked_first() {
    let member = server().user("member");
    let name = unique("Näme ");
    create(&member, &name, &[], &[]).ok();
    create(&member, &format!(" {} ", name.to_uppercase()), &[], &[]).bad_request();
    for bad in ["", "  ", "a\u{7}b", &"é".repeat(61)] {
        create(&member, bad, &[], &[]).bad_request();
    }
    create(&member, &unique("x"), &[99_999_999], &[]).bad_request();
    let long = "é".repeat(1025);
    create(&member, &unique("x"), &[], &[("description", &long)]).bad_request();
    for (pairs, missing) in [
        (vec![], "name"),
        (vec![("subscribers", "[]")], "name"),
        (vec![("name", "x")], "subscribers"),
    ] {
        let error = member.post(PATH, &pairs);
        let error = error.error(400, "REQUEST_VARIABLE_MISSING");
        assert_eq!(error["var_name"], missing);
    }
}

#[test]
fn each_property_of_a_new_channel_is_checked() {
    let (owner, admin) = (server().user("owner"), server().user("administrator"));
    let (member, guest) = (server().user("member"), server().user("guest"));
    let try_with = |user: &User, pairs: &[(&str, &str)]| create(user, &unique("r "), &[], pairs);
    try_with(&guest, &[]).bad_request();
    try_with(&member, &[("invite_only", "true")]).ok();
    try_with(&admin, &[("is_web_public", "true")]).bad_request();
    try_with(&owner, &[("is_web_public", "true")]).ok();
    let both = [("is_web_public", "true"), ("invite_only", "true")];
    try_with(&owner, &both).bad_request();
    let retention = [("message_retention_days", "7")];
    try_with(&admin, &retention).error(400, "UNAUTHORIZED_PRINCIPAL");
    let default = [("is_default_stream", "true")];
    try_with(&member, &default).error(400, "UNAUTHORIZED_PRINCIPAL");
    let both = [("is_default_stream", "true"), ("invite_only", "true")];
    try_with(&admin, &both).bad_request();
    try_with(&admin, &[("folder_id", "99999999")]).bad_request();
    try_with(&admin, &[("topics_policy", "sometimes")]).bad_request();
    try_with(&admin, &[("can_send_message_group", "99999999")]).bad_request();
}

/// The channel event precedes the subscription events, and only users who can see the channel receive it.
#[test]
fn the_event_of_a_new_channel_precedes_its_subscriptions() {
    let (member, other) = (server().user("member"), server().user("member"));
    let (admin, guest) = (server().user("administrator"), server().user("guest"));
    let types = ["stream", "subscription", "user_status"];
    let mut queues = [&member, &other, &admin, &guest].map(|user| Queue::of(user, &types));
    let name = unique("private ");
    let subscribers = [member.user_id, guest.user_id];
    let private = [("invite_only", "true")];
    let id = create(&member, &name, &subscribers, &private).ok()["id"].clone();
    let channel = spindle_tests::fixture::Channel {
        stream_id: id.as_i64().unwrap(),
        recipient_id: 0,
        name,
    };
    let ops = queues.each_mut().map(|queue| -> Vec<String> {
        let events = settle(queue).into_iter().map(|mut event| {
            // A subscription event concerns the channel too.
            if let Some(record) = event["subscriptions"].get(0) {
                event["stream_id"] = record["stream_id"].clone();
            }
            event
        });
        about(events.collect(), &channel)
            .iter()
            .map(|event| event["op"].as_str().unwrap().to_owned())
            .collect()
    });
    assert_eq!(ops[0], ["create", "add"]);
    assert!(ops[1].is_empty(), "{:?}", ops[1]);
    assert_eq!(ops[2], ["create", "peer_add"]);
    assert_eq!(ops[3], ["create", "add"]);
}

/// A caller can find out five times an hour that a hidden channel has a name. Then every new name is refused, so that
/// the refusal reveals nothing.
#[test]
fn names_of_hidden_channels_can_be_tried_five_times_an_hour() {
    let user = server().user("member");
    let own = fixture::channel(server(), ChannelKind::PrivateShared, &[&user]);
    let group = "can_administer_channel_group";
    fixture::channel_permission(server(), &own, group, "role:members");
    let hidden: Vec<String> = (0..6)
        .map(|_| fixture::channel(server(), ChannelKind::PrivateShared, &[]).name)
        .collect();
    let create = |name: &str| {
        let pairs = [("name", name), ("subscribers", "[]")];
        user.post("/channels/create", &pairs)
    };
    let subscribe = |names: &[&str], fatal: &str| {
        let wishes: Vec<_> = names.iter().map(|name| json!({"name": name})).collect();
        let wishes = json!(wishes).to_string();
        let pairs = [
            ("subscriptions", wishes.as_str()),
            ("authorization_errors_fatal", fatal),
        ];
        user.post("/users/me/subscriptions", &pairs)
    };
    let path = format!("/streams/{}", own.id());
    create(&hidden[0]).bad_request();
    subscribe(&[&hidden[1]], "true").bad_request();
    let answer = subscribe(&[&hidden[2], &own.name], "false").ok();
    assert_eq!(answer["unauthorized"], json!([hidden[2]]));
    user.patch(&path, &[("new_name", &hidden[3])]).bad_request();
    // Visible and free names do not count.
    create(&own.name).bad_request();
    create(&unique("free ")).ok();
    // Only one attempt is left.
    let refused = |reply: Reply| reply.error(429, "RATE_LIMIT_HIT");
    refused(subscribe(&[&hidden[4], &hidden[5]], "false"));
    refused(create(&hidden[0]));
    refused(create(&unique("free ")));
    refused(subscribe(&[&unique("free ")], "true"));
    refused(user.patch(&path, &[("new_name", &unique("free "))]));
    subscribe(&[&own.name], "true").ok();
    user.patch(&path, &[("description", "x")]).ok();
}
