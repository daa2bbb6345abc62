//! Values of permissions as PATCH /user_groups/{user_group_id} takes them
//! (docs/protocol/permissions.md#group-setting-value).

use serde_json::{Value, json};
use spindle_tests::fixture::{self, ChannelKind};
use spindle_tests::{Queue, Reply, User};

use super::{allow, group, group_of, nameless, path, record, set_permission, sub, system};
use crate::support::{server, settle};

fn update(user: &User, id: i64, permission: &str, value: &Value) -> Reply {
    user.patch(
        &path(id),
        &[(permission, &json!({"new": value}).to_string())],
    )
}

#[test]
fn every_permission_accepts_both_forms() {
    let user = server().user("member");
    let (id, holder) = (group(&user), group(&user));
    for permission in [
        "can_add_members_group",
        "can_join_group",
        "can_leave_group",
        "can_mention_group",
        "can_remove_members_group",
        "can_manage_group",
    ] {
        let people = nameless(&[user.user_id], &[holder]);
        for value in [json!(holder), people] {
            // The last value must keep the caller as a manager.
            allow(&user, id, permission, &value);
            assert_eq!(record(&user, id)[permission], value, "{permission}");
            if permission == "can_manage_group" && value.is_i64() {
                update(&user, id, permission, &json!(1)).bad_request();
                let owner = server().user("owner");
                allow(&owner, id, permission, &nameless(&[user.user_id], &[]));
            }
        }
    }
}

#[test]
fn permission_values_are_normalized() {
    let user = server().user("member");
    let (bob, id, holder) = (server().user("member"), group(&user), group(&user));
    let nobody = system(&user, "role:nobody");
    for (written, stored) in [
        (nameless(&[], &[]), json!(nobody)),
        (nameless(&[], &[holder, holder]), json!(holder)),
        (
            nameless(&[bob.user_id, user.user_id, bob.user_id], &[nobody, holder]),
            nameless(&[user.user_id, bob.user_id], &[nobody, holder]),
        ),
        (nameless(&[bob.user_id], &[]), nameless(&[bob.user_id], &[])),
    ] {
        allow(&user, id, "can_join_group", &written);
        let mut expected = stored.clone();
        if let Some(list) = expected.get_mut("direct_subgroups") {
            let mut ids: Vec<i64> = serde_json::from_value(list.clone()).unwrap();
            ids.sort_unstable();
            *list = json!(ids);
        }
        assert_eq!(record(&user, id)["can_join_group"], expected);
    }
}

#[test]
fn malformed_permission_values_are_refused() {
    let user = server().user("member");
    let id = group(&user);
    for wrong in [
        "5",
        "null",
        "[]",
        "{}",
        r#"{"old": 5}"#,
        r#"{"new": "5"}"#,
        r#"{"new": 5.0}"#,
        r#"{"new": null}"#,
        r#"{"new": {"direct_members": []}}"#,
        r#"{"new": {"direct_members": [], "direct_subgroups": [], "x": 1}}"#,
        r#"{"new": {"direct_members": [true], "direct_subgroups": []}}"#,
        r#"{"new": 5, "more": 6}"#,
        "x",
    ] {
        let body = user
            .patch(&path(id), &[("can_leave_group", wrong)])
            .bad_request();
        let text = body["msg"].as_str().unwrap();
        assert!(text.contains("can_leave_group"), "{wrong}: {text}");
    }
}

/// Unknown and deactivated groups, anonymous groups of others, missing users.
#[test]
fn users_and_groups_of_a_value_must_exist_and_be_active() {
    let user = server().user("member");
    let id = group(&user);
    let deactivated = group(&user);
    user.post(&sub(deactivated, "deactivate"), &[]).ok();
    let gone = server().user("member");
    server().admin(&["user", "deactivate", "--email", &gone.email]);
    let hidden: i64 = server()
        .database()
        .query_row(
            "SELECT max(id) FROM user_groups WHERE name IS NULL",
            [],
            |row| row.get(0),
        )
        .unwrap();
    let before = record(&user, id);
    for bad in [99_999_999, hidden, deactivated, 0, -1] {
        update(&user, id, "can_join_group", &json!(bad)).bad_request();
        let part = nameless(&[user.user_id], &[bad]);
        update(&user, id, "can_join_group", &part).bad_request();
    }
    for bad in [99_999_999, gone.user_id, 0] {
        let value = nameless(&[user.user_id, bad], &[]);
        update(&user, id, "can_join_group", &value).bad_request();
    }
    assert_eq!(record(&user, id), before);
    // After reactivation the group is accepted again.
    user.patch(&path(deactivated), &[("deactivated", "false")])
        .ok();
    allow(&user, id, "can_join_group", &json!(deactivated));
}

/// role:internet never, role:everyone where guests would gain rights, role:owners for mentions.
#[test]
fn some_system_groups_are_refused_as_values() {
    let user = server().user("member");
    let owner = server().user("owner");
    let table: [(&str, &[&str]); 6] = [
        ("can_add_members_group", &["role:internet", "role:everyone"]),
        ("can_join_group", &["role:internet", "role:everyone"]),
        ("can_leave_group", &["role:internet"]),
        ("can_manage_group", &["role:internet", "role:everyone"]),
        ("can_mention_group", &["role:internet", "role:owners"]),
        (
            "can_remove_members_group",
            &["role:internet", "role:everyone"],
        ),
    ];
    let id = group(&user);
    for (permission, refused) in table {
        for name in [
            "role:internet",
            "role:everyone",
            "role:members",
            "role:fullmembers",
            "role:moderators",
            "role:administrators",
            "role:owners",
            "role:nobody",
        ] {
            let reply = update(&owner, id, permission, &json!(system(&user, name)));
            if refused.contains(&name) {
                reply.bad_request();
            } else {
                reply.ok();
            }
        }
    }
    // Nor through a group that contains it.
    let everyone = nameless(&[user.user_id], &[system(&user, "role:everyone")]);
    update(&owner, id, "can_manage_group", &everyone).bad_request();
    update(&owner, id, "can_mention_group", &everyone).ok();
}

#[test]
fn an_expectation_must_match_the_current_value() {
    let (ann, bob) = (server().user("member"), server().user("member"));
    let id = group(&ann);
    let nobody = system(&ann, "role:nobody");
    let both = nameless(&[ann.user_id, bob.user_id], &[]);
    let attempt = |new: &Value, old: &Value| {
        let value = json!({"new": new, "old": old}).to_string();
        ann.patch(&path(id), &[("can_join_group", &value)])
    };
    attempt(&both, &nameless(&[], &[nobody])).error(400, "EXPECTATION_MISMATCH");
    attempt(&both, &json!(system(&ann, "role:members"))).error(400, "EXPECTATION_MISMATCH");
    // The expectation is checked before the value, even when the value is the current one.
    attempt(&json!(99_999_999), &json!(1_234_567)).error(400, "EXPECTATION_MISMATCH");
    attempt(&json!(nobody), &json!(1_234_567)).error(400, "EXPECTATION_MISMATCH");
    attempt(&both, &json!(nobody)).ok();
    // The order of a list does not matter.
    let turned = nameless(&[bob.user_id, ann.user_id, bob.user_id], &[]);
    attempt(&json!(nobody), &turned).ok();
    attempt(&json!(nobody), &json!(nobody)).ok();
    assert_eq!(record(&ann, id)["can_join_group"], nobody);
}

/// An unchanged value sends no event.
#[test]
fn an_unchanged_value_sends_no_event() {
    let user = server().user("member");
    let id = group(&user);
    allow(&user, id, "can_join_group", &nameless(&[user.user_id], &[]));
    let mut queue = Queue::of(&user, &["user_group", "user_status"]);
    allow(
        &user,
        id,
        "can_join_group",
        &nameless(&[user.user_id, user.user_id], &[]),
    );
    user.patch(
        &path(id),
        &[("description", "made by a test"), ("deactivated", "true")],
    )
    .ok();
    let events = settle(&mut queue);
    assert!(
        events.iter().all(|event| event["group_id"] != id),
        "{events:?}"
    );
}

/// Values omit deactivated users, also when they are compared with the expected value.
#[test]
fn deactivated_users_are_omitted_from_values() {
    let (ann, bob) = (server().user("member"), server().user("member"));
    let id = group(&ann);
    let both = nameless(&[ann.user_id, bob.user_id], &[]);
    allow(&ann, id, "can_add_members_group", &both);
    let mut queue = Queue::of(&ann, &["user_group"]);
    let received = |queue: &mut Queue| {
        queue.expect(|event| event["op"] == "update" && event["group_id"] == id)["data"].clone()
    };
    server().admin(&["user", "deactivate", "--email", &bob.email]);
    let alone = nameless(&[ann.user_id], &[]);
    assert_eq!(record(&ann, id)["can_add_members_group"], alone);
    assert_eq!(
        received(&mut queue),
        json!({"can_add_members_group": alone})
    );
    let value = json!({"new": alone, "old": alone}).to_string();
    let expected = json!({"new": both, "old": both}).to_string();
    ann.patch(&path(id), &[("can_add_members_group", &expected)])
        .error(400, "EXPECTATION_MISMATCH");
    server().admin(&["user", "reactivate", "--email", &bob.email]);
    assert_eq!(record(&ann, id)["can_add_members_group"], both);
    assert_eq!(received(&mut queue), json!({"can_add_members_group": both}));
    ann.patch(&path(id), &[("can_add_members_group", &value)])
        .error(400, "EXPECTATION_MISMATCH");
}

/// The same for channels, whose events go to the users who can see the channel, and for the
/// organization.
#[test]
fn changed_values_of_channels_and_the_organization_are_broadcast() {
    let (ann, bob, eve) = (
        server().user("member"),
        server().user("member"),
        server().user("member"),
    );
    let channel = fixture::channel(server(), ChannelKind::PrivateShared, &[&ann]);
    let people = |ids: &[i64]| -> i64 {
        let database = server().database();
        let insert = "INSERT INTO user_groups (realm_id) VALUES (1)";
        database.execute(insert, []).unwrap();
        let group = database.last_insert_rowid();
        let insert = "INSERT INTO user_group_closure (supergroup_id, subgroup_id) VALUES (?1, ?1)";
        database.execute(insert, [group]).unwrap();
        for id in ids {
            let insert = "INSERT INTO user_group_members (user_id, group_id) VALUES (?1, ?2)";
            database.execute(insert, [*id, group]).unwrap();
        }
        group
    };
    let both = [ann.user_id, bob.user_id];
    let sending = "can_send_message_group";
    set_permission("channel", channel.stream_id, sending, people(&both));
    set_permission("realm", 1, "can_manage_billing_group", people(&both));
    let types = ["realm", "stream", "user_status"];
    let mut queues = [Queue::of(&ann, &types), Queue::of(&eve, &types)];
    server().admin(&["user", "deactivate", "--email", &bob.email]);
    let administrators = system(&ann, "role:administrators");
    set_permission("realm", 1, "can_manage_billing_group", administrators);
    let alone = nameless(&[ann.user_id], &[]);
    let of_realm = json!({"can_manage_billing_group": alone});
    for (queue, sees_channel) in queues.iter_mut().zip([true, false]) {
        let events = settle(queue);
        assert!(
            events.iter().any(|event| event["data"] == of_realm),
            "{events:?}"
        );
        let received = events.iter().any(|event| {
            event["stream_id"] == channel.stream_id
                && event["property"] == sending
                && event["value"] == alone
        });
        assert_eq!(received, sees_channel, "{events:?}");
    }
}

/// Anonymous groups are deleted when no permission uses them.
#[test]
fn unused_anonymous_groups_are_deleted() {
    let user = server().user("member");
    let (id, holder) = (group(&user), group_of(&user, &[&user]));
    let unused = || -> i64 {
        let sql = "SELECT count(*) FROM user_groups g WHERE g.name IS NULL AND creator_id IS NULL
                   AND EXISTS (SELECT 1 FROM user_group_members m WHERE m.group_id = g.id
                       AND m.user_id = ?1)
                   AND NOT EXISTS (SELECT 1 FROM group_settings s WHERE s.group_id = g.id)";
        let count = server()
            .database()
            .query_row(sql, [user.user_id], |row| row.get(0));
        count.unwrap()
    };
    for _ in 0..3 {
        allow(
            &user,
            id,
            "can_join_group",
            &nameless(&[user.user_id], &[holder]),
        );
        allow(&user, id, "can_join_group", &nameless(&[user.user_id], &[]));
    }
    allow(&user, id, "can_join_group", &json!(holder));
    assert_eq!(unused(), 0);
}
