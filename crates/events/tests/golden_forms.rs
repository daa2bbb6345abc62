//! Golden forms: each kind of event as queues with different capabilities receive it
//! (docs/protocol/events.md#capabilities).

#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

mod common;

use common::{given, object, queue};
use serde_json::{Value, json};
use spindle_domain::{ChannelFolderId, ChannelId, GroupId, MessageId, RealmId, UserId};
use spindle_events::kinds::*;
use spindle_events::{Audience, Event, Record, Registration};

fn both_forms(capability: &str, event: Event, with: Value, without: Value) {
    assert_eq!(given(&queue(&[capability]), event.clone()), with, "with");
    assert_eq!(given(&queue(&[]), event), without, "without");
}

#[test]
fn single_form_kinds() {
    let everyone = Audience::realm;
    let cases = [
        (
            user_status(
                UserId(5),
                UserStatusChange {
                    away: Some(false),
                    status_text: Some(String::new()),
                    emoji: Some(StatusEmoji::cleared()),
                    scheduled_end_time: Some(None),
                },
                everyone(),
            ),
            json!({"id": 0, "type": "user_status", "user_id": 5, "away": false, "status_text": "",
                "emoji_name": "", "emoji_code": "", "reaction_type": "unicode_emoji",
                "scheduled_end_time": null}),
        ),
        (
            user_status(
                UserId(5),
                UserStatusChange {
                    status_text: Some("out \"now\"".into()),
                    ..UserStatusChange::default()
                },
                everyone(),
            ),
            json!({"id": 0, "type": "user_status", "user_id": 5, "status_text": "out \"now\""}),
        ),
        (
            realm_update("name", json!("Club"), everyone()),
            json!({"id": 0, "type": "realm", "op": "update", "property": "name", "value": "Club"}),
        ),
        (
            realm_update_dict("default", object(json!({"description": "d"})), everyone()),
            json!({"id": 0, "type": "realm", "op": "update_dict", "property": "default",
                "data": {"description": "d"}}),
        ),
        (
            realm_deactivated(RealmId(1), everyone()),
            json!({"id": 0, "type": "realm", "op": "deactivated", "realm_id": 1}),
        ),
        (
            realm_domains_add("x.org", true),
            json!({"id": 0, "type": "realm_domains", "op": "add",
                "realm_domain": {"domain": "x.org", "allow_subdomains": true}}),
        ),
        (
            realm_domains_change("x.org", false),
            json!({"id": 0, "type": "realm_domains", "op": "change",
                "realm_domain": {"domain": "x.org", "allow_subdomains": false}}),
        ),
        (
            realm_domains_remove("x.org"),
            json!({"id": 0, "type": "realm_domains", "op": "remove", "domain": "x.org"}),
        ),
        (
            realm_playgrounds(json!([])),
            json!({"id": 0, "type": "realm_playgrounds", "realm_playgrounds": []}),
        ),
        (
            restart("12.0", "12.0", 496, 1_700_000_000),
            json!({"id": 0, "type": "restart", "zulip_version": "12.0", "zulip_merge_base": "12.0",
                "zulip_feature_level": 496, "server_generation": 1_700_000_000}),
        ),
        (
            user_settings_update(UserId(1), "default_language", json!("de"), Some("Deutsch")),
            json!({"id": 0, "type": "user_settings", "op": "update", "property": "default_language",
                "value": "de", "language_name": "Deutsch"}),
        ),
        (
            default_streams(&[3, 4].map(ChannelId), everyone()),
            json!({"id": 0, "type": "default_streams", "default_streams": [3, 4]}),
        ),
        (
            subscription_remove(Audience::user(UserId(1)), &[(ChannelId(3), "sales".into())]),
            json!({"id": 0, "type": "subscription", "op": "remove",
                "subscriptions": [{"stream_id": 3, "name": "sales"}]}),
        ),
        (
            subscription_update(UserId(1), ChannelId(3), "color", json!("#aabbcc")),
            json!({"id": 0, "type": "subscription", "op": "update", "stream_id": 3,
                "property": "color", "value": "#aabbcc"}),
        ),
        (
            update_message_flags_read(UserId(1), &[5, 7].map(MessageId)),
            json!({"id": 0, "type": "update_message_flags", "op": "add", "operation": "add",
                "flag": "read", "messages": [5, 7], "all": false}),
        ),
        (
            update_message_flags_add(UserId(1), "starred", &[5].map(MessageId)),
            json!({"id": 0, "type": "update_message_flags", "op": "add", "operation": "add",
                "flag": "starred", "messages": [5], "all": false}),
        ),
        (
            update_message_flags_all_read(UserId(1)),
            json!({"id": 0, "type": "update_message_flags", "op": "add", "operation": "add",
                "flag": "read", "messages": [], "all": true}),
        ),
        (
            update_message_flags_remove(UserId(1), "collapsed", &[5].map(MessageId)),
            json!({"id": 0, "type": "update_message_flags", "op": "remove",
                "operation": "remove", "flag": "collapsed", "messages": [5], "all": false}),
        ),
        (
            reaction_add(thumb(), everyone()),
            json!({"id": 0, "type": "reaction", "op": "add", "user_id": 7, "message_id": 5,
                "emoji_name": "like", "emoji_code": "1f44d", "reaction_type": "unicode_emoji",
                "user": {"user_id": 7, "email": "u7@x.org", "full_name": "Seven"}}),
        ),
        (
            reaction_remove(thumb(), everyone()),
            json!({"id": 0, "type": "reaction", "op": "remove", "user_id": 7, "message_id": 5,
                "emoji_name": "like", "emoji_code": "1f44d", "reaction_type": "unicode_emoji",
                "user": {"user_id": 7, "email": "u7@x.org", "full_name": "Seven"}}),
        ),
        (
            subscription_peer_add(&[3].map(ChannelId), &[7, 8].map(UserId), everyone()),
            json!({"id": 0, "type": "subscription", "op": "peer_add", "stream_ids": [3],
                "user_ids": [7, 8]}),
        ),
        (
            subscription_peer_remove(&[3].map(ChannelId), &[7].map(UserId), everyone()),
            json!({"id": 0, "type": "subscription", "op": "peer_remove", "stream_ids": [3],
                "user_ids": [7]}),
        ),
        (
            channel_folder_add(object(json!({"id": 2, "name": "Teams"})), everyone()),
            json!({"id": 0, "type": "channel_folder", "op": "add",
                "channel_folder": {"id": 2, "name": "Teams"}}),
        ),
        (
            channel_folder_update(2.into(), object(json!({"is_archived": true})), everyone()),
            json!({"id": 0, "type": "channel_folder", "op": "update", "channel_folder_id": 2,
                "data": {"is_archived": true}}),
        ),
        (
            channel_folder_reorder(&[3, 2, 3].map(ChannelFolderId), everyone()),
            json!({"id": 0, "type": "channel_folder", "op": "reorder", "order": [3, 2, 3]}),
        ),
        (
            stream_create(vec![object(json!({"stream_id": 3}))], everyone()),
            json!({"id": 0, "type": "stream", "op": "create", "streams": [{"stream_id": 3}]}),
        ),
        (
            stream_delete(&[3].map(ChannelId), everyone()),
            json!({"id": 0, "type": "stream", "op": "delete", "stream_ids": [3],
                "streams": [{"stream_id": 3}]}),
        ),
        (
            user_group_add_members(GroupId(4), &[1, 2].map(UserId), everyone()),
            json!({"id": 0, "type": "user_group", "op": "add_members", "group_id": 4,
                "user_ids": [1, 2]}),
        ),
        (
            user_group_remove_subgroups(GroupId(4), &[9].map(GroupId), everyone()),
            json!({"id": 0, "type": "user_group", "op": "remove_subgroups", "group_id": 4,
                "direct_subgroup_ids": [9]}),
        ),
        (
            custom_profile_fields(vec![object(json!({"id": 3, "name": "Team"}))]),
            json!({"id": 0, "type": "custom_profile_fields",
                "fields": [{"id": 3, "name": "Team"}]}),
        ),
    ];
    for (event, form) in cases {
        assert_eq!(given(&queue(&[]), event), json!([form]));
    }
}

#[test]
fn linkifiers_need_the_capability() {
    let records = json!([{"id": 3, "pattern": "#(?P<id>[0-9]+)", "url_template": "https://t/{id}",
        "example_input": null, "reverse_template": null, "alternative_url_templates": []}]);
    both_forms(
        "linkifier_url_template",
        realm_linkifiers(records.clone(), Audience::realm()),
        json!([{"id": 0, "type": "realm_linkifiers", "realm_linkifiers": records}]),
        json!([]),
    );
}

#[test]
fn user_changes_carry_one_group_of_keys() {
    let changes = [
        (UserChange::FullName("A".into()), json!({"full_name": "A"})),
        (UserChange::Role(600), json!({"role": 600})),
        (
            UserChange::DeliveryEmail(None),
            json!({"delivery_email": null}),
        ),
        (
            UserChange::NewEmail("a@b".into()),
            json!({"new_email": "a@b"}),
        ),
        (UserChange::IsActive(false), json!({"is_active": false})),
        (
            UserChange::IsImportedStub(false),
            json!({"is_imported_stub": false}),
        ),
        (
            UserChange::DateJoined("2026-01-01T00:00+00:00".into()),
            json!({"date_joined": "2026-01-01T00:00+00:00"}),
        ),
        (UserChange::BotOwner(UserId(3)), json!({"bot_owner_id": 3})),
        (
            UserChange::Timezone {
                email: "a@b".into(),
                timezone: "UTC".into(),
            },
            json!({"email": "a@b", "timezone": "UTC"}),
        ),
        (
            UserChange::CustomProfileField(object(json!({"id": 1, "value": null}))),
            json!({"custom_profile_field": {"id": 1, "value": null}}),
        ),
    ];
    for (change, mut person) in changes {
        person["user_id"] = json!(9);
        assert_eq!(
            given(
                &queue(&[]),
                realm_user_update(UserId(9), change, Audience::realm())
            ),
            json!([{"id": 0, "type": "realm_user", "op": "update", "person": person}])
        );
    }
}

/// Clients with `user_list_incomplete` lose the user; others receive a placeholder.
#[test]
fn hidden_users_are_unknown_or_have_a_stand_in() {
    let stand_in = || object(json!({"user_id": 9, "full_name": "Unknown user"}));
    let removed = json!({"id": 0, "type": "realm_user", "op": "remove",
        "person": {"user_id": 9, "full_name": "Nine"}});
    let added =
        |id: i64| json!({"id": id, "type": "realm_user", "op": "add", "person": stand_in()});
    let remove = || realm_user_remove(UserId(9), "Nine", stand_in(), Audience::user(UserId(1)));
    let add = || realm_user_add_unknown(stand_in(), Audience::user(UserId(1)));
    let incomplete = queue(&["user_list_incomplete"]);
    assert_eq!(given(&incomplete, remove()), json!([removed]));
    assert_eq!(given(&queue(&[]), remove()), json!([removed, added(1)]));
    assert_eq!(given(&incomplete, add()), json!([]));
    assert_eq!(given(&queue(&[]), add()), json!([added(0)]));
}

#[test]
fn gravatars_are_left_to_clients_that_compute_them() {
    let person = object(json!({"user_id": 9, "avatar_url": "https://g/9"}));
    let computing = Registration {
        client_gravatar: true,
        ..queue(&[])
    };
    for (registration, computable, url) in [
        (&computing, true, Value::Null),
        (&computing, false, json!("https://g/9")),
        (&queue(&[]), true, json!("https://g/9")),
    ] {
        let event = realm_user_add(person.clone(), computable, Audience::realm());
        assert_eq!(given(registration, event)[0]["person"]["avatar_url"], url);
        let avatar = UserChange::Avatar {
            avatar_url: "https://g/9".into(),
            avatar_url_medium: "https://g/9".into(),
            avatar_source: "G".into(),
            avatar_version: 2,
            avatar_computable: computable,
        };
        let update = given(
            registration,
            realm_user_update(UserId(9), avatar, Audience::realm()),
        );
        assert_eq!(update[0]["person"]["avatar_url_medium"], url);
        assert_eq!(update[0]["person"]["avatar_version"], 2);
    }
}

#[test]
fn deletions_are_split_for_clients_that_want_single_ones() {
    let from = || DeletedFrom::Channel {
        stream_id: ChannelId(3),
        topic: String::new(),
        empty_topic_display_name: "general chat".into(),
    };
    let event = || delete_message(&[8, 7, 8].map(MessageId), from(), Audience::user(UserId(1)));
    assert_eq!(
        given(
            &queue(&["bulk_message_deletion", "empty_topic_name"]),
            event()
        ),
        json!([{"id": 0, "type": "delete_message", "message_ids": [7, 8],
            "message_type": "stream", "stream_id": 3, "topic": ""}])
    );
    assert_eq!(
        given(&queue(&[]), event()),
        json!([
            {"id": 0, "type": "delete_message", "message_id": 7, "message_type": "stream",
                "stream_id": 3, "topic": "general chat"},
            {"id": 1, "type": "delete_message", "message_id": 8, "message_type": "stream",
                "stream_id": 3, "topic": "general chat"},
        ])
    );
    let direct = delete_message(
        &[7].map(MessageId),
        DeletedFrom::Direct,
        Audience::user(UserId(1)),
    );
    assert_eq!(
        given(&queue(&[]), direct),
        json!([{"id": 0, "type": "delete_message", "message_id": 7, "message_type": "private"}])
    );
}

#[test]
fn archived_channels() {
    let capability = "archived_channels";
    let update = json!({"id": 0, "type": "stream", "op": "update", "stream_id": 3, "name": "s",
        "property": "is_archived", "value": true});
    both_forms(
        capability,
        stream_archived(ChannelId(3), "s", Audience::realm()),
        json!([update]),
        json!([{"id": 0, "type": "stream", "op": "delete", "stream_ids": [3],
            "streams": [{"stream_id": 3}]}]),
    );
    let back = object(json!({"stream_id": 3, "name": "s"}));
    both_forms(
        capability,
        stream_unarchived(ChannelId(3), "s", back.clone(), Audience::realm()),
        json!([{"id": 0, "type": "stream", "op": "update", "stream_id": 3, "name": "s",
            "property": "is_archived", "value": false}]),
        json!([{"id": 0, "type": "stream", "op": "create", "streams": [back]}]),
    );
    let change = |is_archived| {
        let change = StreamChange {
            stream_id: ChannelId(3),
            name: "s".into(),
            property: "description".into(),
            value: json!("d"),
            extra: object(json!({"rendered_description": "<p>d</p>"})),
            is_archived,
        };
        stream_update(change, Audience::realm())
    };
    let sent = json!([{"id": 0, "type": "stream", "op": "update", "stream_id": 3, "name": "s",
        "property": "description", "value": "d", "rendered_description": "<p>d</p>"}]);
    both_forms(capability, change(true), sent.clone(), json!([]));
    both_forms(capability, change(false), sent.clone(), sent);
    // Of several channels, old clients do not receive the archived ones.
    let stream = |id, is_archived| object(json!({"stream_id": id, "is_archived": is_archived}));
    let created = |streams: Vec<Record>| json!([{"id": 0, "type": "stream", "op": "create", "streams": streams}]);
    let both = vec![stream(3, true), stream(4, false)];
    both_forms(
        capability,
        stream_create(both.clone(), Audience::realm()),
        created(both),
        created(vec![stream(4, false)]),
    );
    let archived = vec![stream(3, true)];
    both_forms(
        capability,
        stream_create(archived.clone(), Audience::realm()),
        created(archived),
        json!([]),
    );
}

#[test]
fn deactivated_groups() {
    let capability = "include_deactivated_groups";
    let update = |data: Value| json!([{"id": 0, "type": "user_group", "op": "update", "group_id": 4, "data": data}]);
    both_forms(
        capability,
        user_group_deactivated(GroupId(4), Audience::realm()),
        update(json!({"deactivated": true})),
        json!([{"id": 0, "type": "user_group", "op": "remove", "group_id": 4}]),
    );
    let group = object(json!({"id": 4, "name": "g"}));
    both_forms(
        capability,
        user_group_reactivated(GroupId(4), group.clone(), Audience::realm()),
        update(json!({"deactivated": false})),
        json!([{"id": 0, "type": "user_group", "op": "add", "group": group}]),
    );
    let data = object(json!({"name": "h"}));
    let changed = |deactivated| ChangedGroup {
        id: GroupId(4),
        deactivated,
    };
    let renamed =
        |deactivated| user_group_update(changed(deactivated), data.clone(), Audience::realm());
    both_forms(
        capability,
        renamed(true),
        update(json!({"name": "h"})),
        json!([]),
    );
    both_forms(
        capability,
        renamed(false),
        update(json!({"name": "h"})),
        update(json!({"name": "h"})),
    );
    type Lists = fn(ChangedGroup, [i64; 2], Audience) -> Event;
    let lists: [(Lists, &str, &str); 4] = [
        (
            |group, ids, audience| user_group_add_members(group, &ids.map(UserId), audience),
            "add_members",
            "user_ids",
        ),
        (
            |group, ids, audience| user_group_remove_members(group, &ids.map(UserId), audience),
            "remove_members",
            "user_ids",
        ),
        (
            |group, ids, audience| user_group_add_subgroups(group, &ids.map(GroupId), audience),
            "add_subgroups",
            "direct_subgroup_ids",
        ),
        (
            |group, ids, audience| user_group_remove_subgroups(group, &ids.map(GroupId), audience),
            "remove_subgroups",
            "direct_subgroup_ids",
        ),
    ];
    for (event, op, field) in lists {
        let form = json!([{"id": 0, "type": "user_group", "op": op, "group_id": 4, field: [1, 2]}]);
        for (deactivated, old) in [(false, form.clone()), (true, json!([]))] {
            let event = event(changed(deactivated), [1, 2], Audience::realm());
            both_forms(capability, event, form.clone(), old);
        }
    }
}

#[test]
fn subscriptions_follow_the_registration() {
    let record = object(
        json!({"stream_id": 3, "subscribers": [1], "push_notifications": null,
        "desktop_notifications": false}),
    );
    let defaults = object(json!({"push_notifications": true, "desktop_notifications": true}));
    let event = || {
        subscription_add(
            Audience::user(UserId(1)),
            vec![record.clone()],
            defaults.clone(),
        )
    };
    let plain = given(&queue(&[]), event());
    assert_eq!(
        plain,
        json!([{"id": 0, "type": "subscription", "op": "add", "subscriptions": [
            {"stream_id": 3, "push_notifications": true, "desktop_notifications": false}]}])
    );
    let asking = Registration {
        include_subscribers: true,
        ..queue(&["notification_settings_null"])
    };
    assert_eq!(given(&asking, event())[0]["subscriptions"], json!([record]));
}

#[test]
fn presence_forms() {
    let now = Presence {
        user_id: UserId(9),
        email: "nine@example.org".into(),
        server_timestamp: 1000.5,
        active_timestamp: 990,
        idle_timestamp: 1000,
    };
    let event = || presence(&now, Audience::realm());
    let website = json!({"website": {"client": "website", "status": "idle", "timestamp": 1000,
        "pushable": false}});
    let legacy = json!([{"id": 0, "type": "presence", "user_id": 9, "email": "nine@example.org",
        "server_timestamp": 1000.5, "presence": website}]);
    both_forms(
        "simplified_presence_events",
        event(),
        json!([{"id": 0, "type": "presence",
            "presences": {"9": {"active_timestamp": 990, "idle_timestamp": 1000}}}]),
        legacy.clone(),
    );
    let slim = Registration {
        slim_presence: true,
        ..queue(&[])
    };
    let mut expected = legacy;
    expected[0].as_object_mut().unwrap().remove("email");
    assert_eq!(given(&slim, event()), expected);
}

fn thumb() -> Reaction {
    Reaction {
        user_id: UserId(7),
        email: "u7@x.org".to_owned(),
        full_name: "Seven".to_owned(),
        message_id: MessageId(5),
        emoji_name: "like".to_owned(),
        emoji_code: "1f44d".to_owned(),
        reaction_type: "unicode_emoji".to_owned(),
    }
}

/// A client with any capability is newer than the object.
#[test]
fn only_clients_without_capabilities_receive_the_old_user_object_of_reactions() {
    let expected = json!([{"id": 0, "type": "reaction", "op": "add", "user_id": 7, "message_id": 5,
        "emoji_name": "like", "emoji_code": "1f44d", "reaction_type": "unicode_emoji"}]);
    for capability in ["bulk_message_deletion", "user_settings_object"] {
        let queue = queue(&[capability]);
        let event = reaction_add(thumb(), Audience::realm());
        assert_eq!(given(&queue, event), expected);
    }
}

#[test]
fn details_of_unread_messages_name_the_empty_topic() {
    let details = json!({
        "5": {"type": "stream", "stream_id": 3, "topic": ""},
        "6": {"type": "stream", "stream_id": 3, "topic": "tea", "mentioned": true},
        "7": {"type": "private", "user_ids": [2]}});
    for (capabilities, name) in [(&[][..], "general chat"), (&["empty_topic_name"][..], "")] {
        let event = update_message_flags_unread(
            UserId(1),
            &[5, 6, 7].map(MessageId),
            object(details.clone()),
            "general chat",
        );
        let mut expected = details.clone();
        expected["5"]["topic"] = json!(name);
        assert_eq!(
            given(&queue(capabilities), event),
            json!([{"id": 0, "type": "update_message_flags", "op": "remove",
                "operation": "remove", "flag": "read", "messages": [5, 6, 7], "all": false,
                "message_details": expected}])
        );
    }
}
