//! Queues from registration to collection, and what clients insist on finding at the start.

#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

mod support;

use serde_json::{Value, json};
use spindle_actions::channels::IncludeSubscribers;
use spindle_actions::messages::{Destination, MessageInput, send_message};
use spindle_actions::queues::{RegisterInput, collect_queues, delete_queue, register};
use spindle_actions::users::{deactivate_user, set_role};
use spindle_actions::{ActionError, Actor};
use spindle_domain::errors::ClientError;
use spindle_domain::narrow::{ChannelReference, UserReference};
use spindle_domain::{ChannelId, Role};
use support::{REALM, START, World};

/// What a mobile client refuses to start without (docs/protocol/clients.md#zulip-flutter).
const MOBILE: &[&str] = &[
    "last_event_id",
    "zulip_feature_level",
    "zulip_version",
    "zulip_merge_base",
    "alert_words",
    "custom_profile_fields",
    "max_stream_name_length",
    "max_topic_length",
    "server_presence_ping_interval_seconds",
    "server_presence_offline_threshold_seconds",
    "muted_users",
    "presences",
    "realm_emoji",
    "realm_user_groups",
    "recent_private_conversations",
    "subscriptions",
    "unread_msgs",
    "starred_messages",
    "streams",
    "user_status",
    "user_settings",
    "user_topics",
    "realm_wildcard_mention_policy",
    "realm_name",
    "realm_waiting_period_threshold",
    "realm_allow_message_editing",
    "realm_enable_read_receipts",
    "realm_icon_url",
    "realm_presence_disabled",
    "realm_default_external_accounts",
    "max_file_upload_size_mib",
    "server_emoji_data_url",
    "event_queue_longpoll_timeout_seconds",
    "realm_users",
    "realm_non_active_users",
    "cross_realm_bots",
];

/// What a terminal client reads without a default (docs/protocol/clients.md#zulip-terminal).
const TERMINAL: &[&str] = &[
    "queue_id",
    "last_event_id",
    "max_message_id",
    "zulip_version",
    "user_id",
    "email",
    "full_name",
    "realm_name",
    "realm_users",
    "cross_realm_bots",
    "presences",
    "subscriptions",
    "realm_message_retention_days",
    "muted_topics",
    "realm_user_groups",
    "unread_msgs",
    "realm_emoji",
    "user_settings",
    "starred_messages",
    "custom_profile_fields",
    "realm_allow_message_editing",
    "realm_message_content_edit_limit_seconds",
    "realm_allow_edit_history",
];

fn input() -> RegisterInput {
    RegisterInput {
        external_url: "http://chat.x.org:3000".into(),
        ..RegisterInput::default()
    }
}

fn registered(world: &World, actor: &Actor, input: &RegisterInput) -> Value {
    let registered = register(&world.db(), Some(actor), START + 20, input).unwrap();
    serde_json::from_str(&format!("{{{}}}", registered.fields)).unwrap()
}

fn message(destination: Destination) -> MessageInput {
    MessageInput {
        destination,
        content: "hi".into(),
        client: "test".into(),
        read_by_sender: Some(true),
        local: None,
        delivery: None,
        realm_url: String::new(),
    }
}

#[test]
fn real_clients_find_everything_they_insist_on() {
    let world = World::new();
    let ann = world.person("Ann", Role::Member);
    let mobile = registered(&world, &ann, &input());
    for name in MOBILE {
        assert!(
            mobile.get(name).is_some_and(|value| !value.is_null()),
            "{name}"
        );
    }
    let sections = [
        "realm",
        "presence",
        "subscription",
        "message",
        "starred_messages",
        "update_message_flags",
        "muted_topics",
        "realm_user",
        "realm_user_groups",
        "user_settings",
        "realm_emoji",
        "custom_profile_fields",
        "zulip_version",
    ];
    let terminal = RegisterInput {
        fetch_event_types: Some(sections.map(str::to_owned).to_vec()),
        include_subscribers: IncludeSubscribers::All,
        ..input()
    };
    let terminal = registered(&world, &ann, &terminal);
    for name in TERMINAL {
        assert!(
            terminal.get(name).is_some_and(|value| !value.is_null()),
            "{name}"
        );
    }
    for subscription in terminal["subscriptions"].as_array().unwrap() {
        let both = json!([world.owner.user_id, ann.user_id]);
        assert_eq!(subscription["subscribers"], both);
        assert_eq!(subscription["color"].as_str().unwrap().len(), 7);
        assert_eq!(subscription["desktop_notifications"], false);
    }
    let own = &terminal["realm_users"][1];
    assert_eq!(
        (&own["email"], &own["is_bot"]),
        (&json!("ann@x.org"), &json!(false))
    );
}

#[test]
fn messages_show_up_in_the_snapshot_of_their_reader() {
    let world = World::new();
    let (ann, bob) = (
        world.person("Ann", Role::Member),
        world.person("Bob", Role::Member),
    );
    let channel = ChannelReference::Id(ChannelId(1));
    let to_channel = Destination::Channel {
        channel,
        topic: String::new(),
    };
    let to_bob = Destination::Direct(vec![UserReference::Id(bob.user_id)]);
    let first = send_message(&world.db(), &ann, START, &message(to_channel))
        .unwrap()
        .id;
    let second = send_message(&world.db(), &ann, START, &message(to_bob))
        .unwrap()
        .id;
    let seen = registered(&world, &bob, &input());
    assert_eq!(seen["max_message_id"], json!(second));
    assert_eq!(
        seen["unread_msgs"],
        json!({"count": 2, "huddles": [], "mentions": [], "old_unreads_missing": false,
            "pms": [{"other_user_id": ann.user_id, "sender_id": ann.user_id,
                "unread_message_ids": [second]}],
            "streams": [{"stream_id": 1, "topic": "general chat",
                "unread_message_ids": [first]}]})
    );
    assert_eq!(
        seen["recent_private_conversations"],
        json!([{"user_ids": [ann.user_id], "max_message_id": second}])
    );
    assert_eq!(seen["streams"][0]["first_message_id"], json!(first));
    let own = registered(&world, &ann, &input());
    assert_eq!(own["unread_msgs"]["count"], 0);
}

#[test]
fn registration_judges_the_account_as_it_is_now() {
    let world = World::new();
    let (ann, bob) = (
        world.person("Ann", Role::Member),
        world.person("Bob", Role::Member),
    );
    // Both were authenticated before the operator intervened.
    deactivate_user(&world.db(), None, REALM, START, ann.user_id).unwrap();
    set_role(
        &world.db(),
        None,
        REALM,
        START,
        bob.user_id,
        Role::Administrator,
    )
    .unwrap();
    let before = world.fingerprint();
    let refused = register(&world.db(), Some(&ann), START, &input());
    assert!(matches!(
        refused,
        Err(ActionError::Client(ClientError::UserDeactivated))
    ));
    assert_eq!(world.fingerprint(), before);
    assert_eq!(registered(&world, &bob, &input())["is_admin"], true);
}

#[test]
fn queues_end_with_their_account_and_when_it_becomes_a_guest() {
    let world = World::new();
    let ann = world.person("Ann", Role::Member);
    let queues = "SELECT count(*) FROM event_queues";
    registered(&world, &ann, &input());
    set_role(
        &world.db(),
        None,
        REALM,
        START,
        ann.user_id,
        Role::Moderator,
    )
    .unwrap();
    assert_eq!(world.integer(queues), 1);
    set_role(&world.db(), None, REALM, START, ann.user_id, Role::Guest).unwrap();
    assert_eq!(world.integer(queues), 0);
    registered(&world, &ann, &input());
    deactivate_user(&world.db(), None, REALM, START, ann.user_id).unwrap();
    assert_eq!(world.integer(queues), 0);
}

#[test]
fn only_the_owner_deletes_a_queue() {
    let world = World::new();
    let (ann, bob) = (
        world.person("Ann", Role::Member),
        world.person("Bob", Role::Member),
    );
    let queue = registered(&world, &ann, &input())["queue_id"]
        .as_str()
        .unwrap()
        .to_owned();
    let before = world.fingerprint();
    for (actor, id) in [(&bob, queue.as_str()), (&ann, "unknown")] {
        let refused = delete_queue(&world.db(), actor, id);
        assert!(
            matches!(refused, Err(ActionError::Client(ClientError::BadEventQueueId { queue_id: named })) if named == id)
        );
    }
    assert_eq!(world.fingerprint(), before);
    delete_queue(&world.db(), &ann, &queue).unwrap();
    assert!(delete_queue(&world.db(), &ann, &queue).is_err());
}

#[test]
fn collection_keeps_ten_minutes_and_what_queues_need() {
    let world = World::new();
    let ann = world.person("Ann", Role::Member);
    let queue = registered(&world, &ann, &input())["queue_id"]
        .as_str()
        .unwrap()
        .to_owned();
    let rows = || world.integer("SELECT count(*) FROM event_log");
    let (all, end) = (rows(), world.position() + 1);
    let collect =
        |now, ended: &[String], below| collect_queues(&world.db(), now, ended, below).unwrap();
    // Too young.
    assert_eq!(collect(START + 60, &[], end), 0);
    assert_eq!(rows(), all);
    // Old, but needed from the third row on; and once a minute only.
    assert_eq!(collect(START + 700, &[], 3), 0);
    assert_eq!(rows(), all - 2);
    assert_eq!(collect(START + 701, &[], end), 0);
    assert_eq!(rows(), all - 2);
    let ended = [queue, "unknown".to_owned()];
    assert_eq!(collect(START + 800, &ended, end), 1);
    assert_eq!(rows(), 0);
    // The log continues where it was.
    assert_eq!(world.position(), end - 1);
    assert_eq!(collect(START + 900, &ended, end), 0);
}
