//! Registration: sections, restrictions, and a queue that continues the snapshot.

#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

mod support;

use serde_json::{Value, json};
use spindle_actions::ActionError;
use spindle_actions::channels::IncludeSubscribers;
use spindle_actions::queues::{RegisterInput, register};
use spindle_actions::users::{StatusInput, set_user_status};
use spindle_domain::Role;
use support::{START, World};

fn input() -> RegisterInput {
    RegisterInput {
        external_url: "http://chat.test:3000".into(),
        bot_domain: "chat.test".into(),
        ..RegisterInput::default()
    }
}

fn fetching(sections: &[&str]) -> RegisterInput {
    RegisterInput {
        fetch_event_types: Some(sections.iter().map(|name| (*name).to_owned()).collect()),
        ..input()
    }
}

fn parse(fields: &str) -> Value {
    serde_json::from_str(&format!("{{{fields}}}")).unwrap()
}

#[test]
fn without_lists_everything_is_there() {
    let world = World::new();
    let ann = world.person("Ann", Role::Member);
    world.bot("Helper");
    let answer = register(&world.db(), Some(&ann), START, &input()).unwrap();
    let fields = parse(&answer.fields);
    assert_eq!(fields["queue_id"], json!(answer.queue_id));
    assert_eq!(fields["last_event_id"], -1);
    assert_eq!(fields["idle_queue_timeout_secs"], 600);
    assert_eq!(fields["zulip_feature_level"], 496);
    assert_eq!(fields["service_feature_level"], 496);
    assert_eq!(fields["realm_name"], "Test");
    assert_eq!(fields["realm_bot_domain"], "chat.test");
    assert_eq!(fields["user_id"], ann.user_id.get());
    assert_eq!(fields["is_admin"], false);
    assert_eq!(fields["realm_users"].as_array().unwrap().len(), 3);
    assert_eq!(fields["subscriptions"].as_array().unwrap().len(), 3);
    assert_eq!(fields["streams"].as_array().unwrap().len(), 3);
    assert_eq!(fields["subscriptions"][0]["push_notifications"], false);
    assert_eq!(fields["unread_msgs"]["count"], 0);
    assert_eq!(fields["max_message_id"], -1);
    assert_eq!(fields["user_settings"]["emojiset"], "google");
    assert_eq!(fields["realm_bots"], json!([]));
    assert!(fields["realm_can_create_groups"].is_i64());
    for (name, value) in fields.as_object().unwrap() {
        let may_be_null = name.ends_with("_url")
            || name.ends_with("_seconds")
            || name.ends_with("_days")
            || name.ends_with("_mib")
            || name.ends_with("_timestamp")
            || name.ends_with("_organization_logo");
        assert!(!value.is_null() || may_be_null, "{name} is null");
    }
}

#[test]
fn the_queue_starts_where_the_snapshot_ends() {
    let world = World::new();
    let ann = world.person("Ann", Role::Member);
    let status = StatusInput {
        status_text: Some("in the snapshot".into()),
        ..StatusInput::default()
    };
    set_user_status(&world.db(), &ann, START, ann.user_id, &status).unwrap();
    let position = world.position();
    let answer = register(&world.db(), Some(&ann), START, &fetching(&["user_status"])).unwrap();
    let own = &parse(&answer.fields)["user_status"][ann.user_id.to_string()];
    assert_eq!(own["status_text"], "in the snapshot");
    assert_eq!(world.integer("SELECT base_seq FROM event_queues"), position);
    assert_eq!(world.position(), position, "a queue is no event");
}

#[test]
fn only_the_named_sections_are_sent() {
    let world = World::new();
    let ann = world.person("Ann", Role::Member);
    let of = |input: &RegisterInput| {
        let answer = register(&world.db(), Some(&ann), START, input).unwrap();
        parse(&answer.fields).as_object().unwrap().len()
    };
    let always = of(&fetching(&[]));
    assert_eq!(always, 7);
    assert_eq!(of(&fetching(&["starred_messages"])), always + 1);
    let by_events = RegisterInput {
        event_types: Some(vec!["alert_words".into(), "no_such_type".into()]),
        ..input()
    };
    assert_eq!(of(&by_events), always + 1);
    assert_eq!(of(&fetching(&["muted_topics", "user_topic"])), always + 1);
    assert_eq!(of(&fetching(&["message"])), always + 1);
    assert_eq!(
        of(&fetching(&["message", "update_message_flags"])),
        always + 2
    );
}

#[test]
fn timeouts_are_lowered_to_the_maximum() {
    let world = World::new();
    let ann = world.person("Ann", Role::Member);
    for (requested, effective) in [(0, 600), (1, 1), (43_200, 43_200), (i64::MAX, 604_800)] {
        let input = RegisterInput {
            idle_queue_timeout_secs: requested,
            ..fetching(&[])
        };
        let answer = register(&world.db(), Some(&ann), START, &input).unwrap();
        let fields = parse(&answer.fields);
        assert_eq!(fields["idle_queue_timeout_secs"], effective);
    }
}

#[test]
fn subscribers_and_nulls_come_on_request() {
    let world = World::new();
    let ann = world.person("Ann", Role::Member);
    let mut input = RegisterInput {
        include_subscribers: IncludeSubscribers::All,
        ..fetching(&["subscription"])
    };
    input.client_capabilities.notification_settings_null = true;
    let answer = register(&world.db(), Some(&ann), START, &input).unwrap();
    let first = &parse(&answer.fields)["subscriptions"][0];
    assert_eq!(first["push_notifications"], Value::Null);
    assert_eq!(first["subscribers"].as_array().unwrap().len(), 2);
}

#[test]
fn guests_see_less() {
    let world = World::new();
    let guest = world.person("Gus", Role::Guest);
    let input = fetching(&["stream", "default_streams", "subscription"]);
    let answer = register(&world.db(), Some(&guest), START, &input).unwrap();
    let fields = parse(&answer.fields);
    assert_eq!(fields["realm_default_streams"], json!([]));
    assert_eq!(fields["never_subscribed"], json!([]));
    let all_public = RegisterInput {
        all_public_streams: Some(true),
        ..input
    };
    let refused = register(&world.db(), Some(&guest), START, &all_public);
    assert!(matches!(refused, Err(ActionError::BadRequest(_))));
}

#[test]
fn anonymous_visitors_get_what_is_public_and_no_queue() {
    let world = World::new();
    world.person("Ann", Role::Member);
    let admit = |value: &str| {
        world.set_realm_setting("enable_spectator_access", value);
    };
    let answer = register(&world.db(), None, START, &input());
    assert!(matches!(answer, Err(ActionError::SpectatorAccessDisabled)));
    admit("true");
    let answer = register(&world.db(), None, START, &input()).unwrap();
    assert_eq!(answer.queue_id, None);
    let fields = parse(&answer.fields);
    assert_eq!(fields["queue_id"], Value::Null);
    assert_eq!(fields["realm_name"], "Test");
    assert!(fields.get("streams").is_none());
    // Those of a user who has changed none.
    assert!(fields["user_settings"].is_object());
    for name in [
        "realm_users",
        "subscriptions",
        "never_subscribed",
        "realm_user_groups",
    ] {
        assert_eq!(fields[name], json!([]), "{name}");
    }
    assert_eq!(world.integer("SELECT count(*) FROM event_queues"), 0);
    assert!(!answer.fields.contains("@x.org"));

    let gravatar = RegisterInput {
        client_gravatar: Some(true),
        ..input()
    };
    let subscribers = RegisterInput {
        include_subscribers: IncludeSubscribers::Partial,
        ..input()
    };
    for refused in [gravatar, subscribers] {
        let answer = register(&world.db(), None, START, &refused);
        assert!(matches!(answer, Err(ActionError::BadRequest(_))));
    }
    admit("false");
    let answer = register(&world.db(), None, START, &input());
    assert!(matches!(answer, Err(ActionError::SpectatorAccessDisabled)));
}

#[test]
fn a_narrow_that_makes_no_sense_changes_nothing() {
    let world = World::new();
    let ann = world.person("Ann", Role::Member);
    let before = world.fingerprint();
    let input = RegisterInput {
        narrow: vec![("colour".into(), "green".into())],
        ..input()
    };
    let refused = register(&world.db(), Some(&ann), START, &input);
    assert!(matches!(refused, Err(ActionError::BadRequest(_))));
    assert_eq!(world.fingerprint(), before);
}
