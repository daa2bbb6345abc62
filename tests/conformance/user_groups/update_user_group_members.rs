//! POST /user_groups/{user_group_id}/members
//! (docs/protocol/user-groups.md#update_user_group_members).

use serde_json::{Value, json};
use spindle_tests::{Options, Queue, Reply, Server, User};

use super::{allow, group, group_of, nameless, record, sub, system};
use crate::support::{server, settle};

fn change(user: &User, id: i64, list: &str, users: &[&User]) -> Reply {
    let ids: Vec<i64> = users.iter().map(|user| user.user_id).collect();
    user.post(&sub(id, "members"), &[(list, &json!(ids).to_string())])
}

fn members(user: &User, id: i64) -> Value {
    record(user, id)["members"].clone()
}

#[test]
fn all_four_lists_of_members_work_in_one_call() {
    let (ann, bob) = (server().user("member"), server().user("member"));
    let (one, two) = (group(&ann), group(&ann));
    let id = group_of(&ann, &[&ann]);
    ann.post(
        &sub(id, "members"),
        &[("add_subgroups", &json!([one]).to_string())],
    )
    .ok();
    let pairs = [
        ("add", json!([bob.user_id, bob.user_id]).to_string()),
        ("delete", json!([ann.user_id]).to_string()),
        ("add_subgroups", json!([two]).to_string()),
        ("delete_subgroups", json!([one]).to_string()),
    ];
    let pairs: Vec<(&str, &str)> = pairs
        .iter()
        .map(|(name, value)| (*name, value.as_str()))
        .collect();
    ann.post(&sub(id, "members"), &pairs).ok();
    assert_eq!(members(&ann, id), json!([bob.user_id]));
    assert_eq!(record(&ann, id)["direct_subgroup_ids"], json!([two]));
    // A second time every list fails, and nothing changes.
    ann.post(&sub(id, "members"), &pairs).bad_request();
    ann.post(&sub(id, "members"), &pairs[1..]).bad_request();
    assert_eq!(members(&ann, id), json!([bob.user_id]));
    ann.post(&sub(id, "members"), &[]).bad_request();
    ann.post(&sub(id, "members"), &[("add", "[]")])
        .bad_request();
}

/// Like its subgroups (FL 391): managers prepare a group before they reactivate it.
#[test]
fn only_managers_change_members_of_a_deactivated_group() {
    let (ann, bob) = (server().user("member"), server().user("member"));
    let id = group_of(&ann, &[&ann]);
    ann.post(&sub(id, "deactivate"), &[]).ok();
    change(&bob, id, "add", &[&bob]).bad_request();
    change(&ann, id, "add", &[&bob]).ok();
    change(&ann, id, "delete", &[&ann]).ok();
    assert_eq!(members(&ann, id), json!([bob.user_id]));
    ann.patch(&format!("/user_groups/{id}"), &[("deactivated", "false")])
        .ok();
    assert_eq!(members(&ann, id), json!([bob.user_id]));
}

#[test]
fn members_and_non_members_and_deactivated_users_are_refused() {
    let (ann, bob, gone) = (
        server().user("member"),
        server().user("member"),
        server().user("member"),
    );
    let id = group_of(&ann, &[&ann]);
    let with_gone = group_of(&ann, &[&gone]);
    server().admin(&["user", "deactivate", "--email", &gone.email]);
    change(&ann, id, "add", &[&bob, &ann]).bad_request();
    change(&ann, id, "add", &[&bob, &gone]).bad_request();
    change(&ann, id, "delete", &[&bob]).bad_request();
    allow(
        &ann,
        with_gone,
        "can_remove_members_group",
        &nameless(&[ann.user_id], &[]),
    );
    change(&ann, with_gone, "delete", &[&gone]).bad_request();
    ann.post(&sub(id, "members"), &[("add", "[99999999]")])
        .bad_request();
    change(&ann, 99_999_999, "add", &[&bob]).bad_request();
    assert_eq!(members(&ann, id), json!([ann.user_id]));
    change(&ann, id, "add", &[&server().bot(), &server().user("guest")]).ok();
}

/// Adding oneself needs can_join_group or can_add_members_group, removing oneself can_leave_group
/// or can_remove_members_group; a call that names other users needs the stronger of the two.
#[test]
fn joining_and_leaving_need_their_permissions() {
    let (ann, bob, eve) = (
        server().user("member"),
        server().user("member"),
        server().user("member"),
    );
    let id = group(&ann);
    change(&bob, id, "add", &[&bob]).bad_request();
    allow(
        &ann,
        id,
        "can_join_group",
        &json!(system(&ann, "role:members")),
    );
    change(&bob, id, "add", &[&eve]).bad_request();
    change(&bob, id, "add", &[&bob, &eve]).bad_request();
    change(&bob, id, "add", &[&bob]).ok();
    change(&eve, id, "add", &[&eve]).ok();
    // By default all members may leave.
    change(&bob, id, "delete", &[&eve]).bad_request();
    change(&bob, id, "delete", &[&bob]).ok();
    allow(
        &ann,
        id,
        "can_leave_group",
        &json!(system(&ann, "role:nobody")),
    );
    change(&eve, id, "delete", &[&eve]).bad_request();
    allow(
        &ann,
        id,
        "can_remove_members_group",
        &nameless(&[eve.user_id], &[]),
    );
    change(&eve, id, "delete", &[&eve]).ok();
    allow(
        &ann,
        id,
        "can_join_group",
        &json!(system(&ann, "role:nobody")),
    );
    allow(
        &ann,
        id,
        "can_add_members_group",
        &nameless(&[bob.user_id], &[]),
    );
    change(&bob, id, "add", &[&bob, &eve]).ok();
    change(&bob, id, "delete", &[&bob, &eve]).bad_request();
    change(&eve, id, "delete", &[&bob, &eve]).ok();
}

#[test]
fn only_managers_change_members_of_others() {
    let (ann, bob) = (server().user("member"), server().user("member"));
    let id = group(&ann);
    change(&bob, id, "add", &[&ann]).bad_request();
    server()
        .user("administrator")
        .post(&sub(id, "members"), &[("add", "[1]")])
        .bad_request();
    change(&server().user("owner"), id, "add", &[&bob]).ok();
    change(&ann, id, "delete", &[&bob]).ok();
    let bot = server().bot();
    allow(&ann, id, "can_manage_group", &nameless(&[bot.user_id], &[]));
    change(&bot, id, "add", &[&bob]).ok();
    let owner = server().user("owner");
    let member_group = system(&ann, "role:members");
    change(&owner, member_group, "add", &[&server().user("guest")]).bad_request();
    change(&server().user("guest"), id, "delete", &[&bob]).bad_request();
}

/// FL 391: the members of a deactivated group can be changed.
#[test]
fn members_of_a_deactivated_group_can_be_changed() {
    let (ann, bob) = (server().user("member"), server().user("member"));
    let id = group_of(&ann, &[&ann]);
    ann.post(&sub(id, "deactivate"), &[]).ok();
    change(&ann, id, "add", &[&bob]).ok();
    change(&ann, id, "delete", &[&ann]).ok();
    assert_eq!(members(&ann, id), json!([bob.user_id]));
}

/// The notification bot writes to people whom another user has added or removed.
#[test]
fn people_are_told_who_added_and_removed_them() {
    let people: Vec<User> = (0..2).map(|_| server().user("member")).collect();
    let (ann, bob) = (&people[0], &people[1]);
    let id = group_of(ann, &[]);
    let name = record(ann, id)["name"].as_str().unwrap().to_owned();
    let mut queues = [ann, bob].map(|user| Queue::of(user, &["message", "user_status"]));
    change(ann, id, "add", &[ann, bob]).ok();
    change(ann, id, "delete", &[ann, bob]).ok();
    let who = format!("@_**{}|{}**", ann.full_name, ann.user_id);
    let [of_ann, of_bob] = queues.each_mut().map(|queue| {
        let contents = settle(queue).into_iter();
        contents
            .map(|event| event["message"]["content"].as_str().unwrap().to_owned())
            .collect::<Vec<String>>()
    });
    assert!(of_ann.is_empty(), "{of_ann:?}");
    assert_eq!(
        of_bob,
        [
            format!("{who} added you to the group `{name}`."),
            format!("{who} removed you from the group `{name}`.")
        ]
    );
}

/// A group that lets its members see many channels: the clients of users who join or leave register again.
#[test]
fn clients_register_again_when_too_many_channels_appear() {
    let server = Server::own(Options::default());
    let [owner, user, watcher] = ["owner", "member", "member"].map(|role| server.user(role));
    let pairs = [("name", "keys"), ("description", ""), ("members", "[]")];
    let group_id = owner.post("/user_groups/create", &pairs).ok()["group_id"].to_string();
    let sql = format!(
        "INSERT INTO conversations (realm_id, kind) \
         WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1500) \
         SELECT 1, 'channel' FROM n; \
         INSERT INTO channels (realm_id, conversation_id, name, name_folded, date_created, invite_only) \
         SELECT 1, id, 'many ' || id, 'many ' || id, 1, 1 FROM conversations c \
         WHERE kind = 'channel' AND NOT EXISTS (SELECT 1 FROM channels WHERE conversation_id = c.id); \
         INSERT INTO group_settings (realm_id, owner_type, owner_id, name, group_id) \
         SELECT 1, 'channel', id, 'can_subscribe_group', {group_id} FROM channels WHERE name LIKE 'many %';"
    );
    server.database().execute_batch(&sql).expect("channels");
    let path = format!("/user_groups/{group_id}/members");
    let members = json!([user.user_id]).to_string();
    for change in ["add", "delete"] {
        let of_others = Queue::of(&watcher, &["stream", "user_group"]);
        let queue = Queue::of(&user, &["stream", "user_group"]);
        owner.post(&path, &[(change, &members)]).ok();
        let poll = |queue: &str| {
            [
                ("queue_id", queue.to_owned()),
                ("last_event_id", "-1".to_owned()),
                ("dont_block", "true".to_owned()),
            ]
        };
        let get = |user: &User, queue: &Queue| {
            let pairs = poll(&queue.queue_id);
            let pairs = pairs
                .each_ref()
                .map(|(name, value)| (*name, value.as_str()));
            user.get("/events", &pairs)
        };
        get(&user, &queue).error(400, "BAD_EVENT_QUEUE_ID");
        get(&watcher, &of_others).ok();
    }
}
