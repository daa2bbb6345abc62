//! POST /user_groups/{user_group_id}/deactivate
//! (docs/protocol/user-groups.md#deactivate_user_group).

use serde_json::{Value, json};
use spindle_tests::fixture::{self, ChannelKind};
use spindle_tests::{Reply, User};

use super::{allow, group, group_of, nameless, path, record, set_permission, sub, system};
use crate::support::server;

fn deactivate(user: &User, id: i64) -> Reply {
    user.post(&sub(id, "deactivate"), &[])
}

fn objections(user: &User, id: i64) -> Value {
    deactivate(user, id).error(400, "CANNOT_DEACTIVATE_GROUP_IN_USE")["objections"].clone()
}

#[test]
fn a_deactivated_group_is_listed_only_on_request() {
    let user = server().user("member");
    let id = group_of(&user, &[&user]);
    deactivate(&user, id).ok();
    assert_eq!(record(&user, id)["deactivated"], true);
    assert_eq!(record(&user, id)["members"], json!([user.user_id]));
    for pairs in [&[][..], &[("include_deactivated_groups", "false")]] {
        let body = user.get("/user_groups", pairs).ok();
        let groups = body["user_groups"].as_array().unwrap();
        assert!(groups.iter().all(|record| record["id"] != id));
    }
    deactivate(&user, id).bad_request();
    user.patch(&path(id), &[("deactivated", "false")]).ok();
    deactivate(&user, id).ok();
}

#[test]
fn the_permission_decides_who_may() {
    let ann = server().user("member");
    let id = group(&ann);
    for role in ["administrator", "moderator", "member", "guest"] {
        deactivate(&server().user(role), id).bad_request();
    }
    let owner = server().user("owner");
    deactivate(&owner, 99_999_999).bad_request();
    for name in ["role:members", "role:nobody"] {
        deactivate(&owner, system(&ann, name)).bad_request();
    }
    deactivate(&owner, id).ok();
}

#[test]
fn a_group_in_an_active_supergroup_cannot_be_deactivated() {
    let user = server().user("member");
    let (top, other, id) = (group(&user), group(&user), group(&user));
    for above in [top, other] {
        let add = json!([id]).to_string();
        user.post(&sub(above, "subgroups"), &[("add", &add)]).ok();
    }
    let expected = json!([{"type": "subgroup", "supergroup_ids": [top, other]}]);
    assert_eq!(objections(&user, id), expected);
    assert_eq!(record(&user, id)["deactivated"], false);
    deactivate(&user, top).ok();
    let expected = json!([{"type": "subgroup", "supergroup_ids": [other]}]);
    assert_eq!(objections(&user, id), expected);
    deactivate(&user, other).ok();
    deactivate(&user, id).ok();
}

/// As the whole value and as a part of it.
#[test]
fn a_group_in_permissions_of_other_groups_cannot_be_deactivated() {
    let user = server().user("member");
    let (one, two, id) = (group(&user), group(&user), group(&user));
    allow(&user, one, "can_mention_group", &json!(id));
    allow(
        &user,
        one,
        "can_join_group",
        &nameless(&[user.user_id], &[id]),
    );
    allow(&user, two, "can_leave_group", &json!(id));
    // A permission for the group itself does not count.
    allow(&user, id, "can_add_members_group", &json!(id));
    let expected = json!([
        {"type": "user_group", "group_id": one, "settings": ["can_join_group", "can_mention_group"]},
        {"type": "user_group", "group_id": two, "settings": ["can_leave_group"]},
    ]);
    assert_eq!(objections(&user, id), expected);
    for (group, permission) in [
        (one, "can_mention_group"),
        (one, "can_join_group"),
        (two, "can_leave_group"),
    ] {
        allow(
            &user,
            group,
            permission,
            &json!(system(&user, "role:members")),
        );
    }
    deactivate(&user, id).ok();
}

#[test]
fn a_group_in_permissions_of_channels_or_the_organization_cannot_be_deactivated() {
    let user = server().user("member");
    let (id, top) = (group(&user), group(&user));
    let channel = fixture::channel(server(), ChannelKind::Public, &[&user]);
    let add = json!([id]).to_string();
    user.post(&sub(top, "subgroups"), &[("add", &add)]).ok();
    set_permission("channel", channel.stream_id, "can_send_message_group", id);
    set_permission("realm", 1, "workplace_users_group", id);
    let expected = json!([
        {"type": "subgroup", "supergroup_ids": [top]},
        {"type": "channel", "channel_id": channel.stream_id, "settings": ["can_send_message_group"]},
        {"type": "realm", "settings": ["workplace_users_group"]},
    ]);
    assert_eq!(objections(&user, id), expected);
    set_permission(
        "realm",
        1,
        "workplace_users_group",
        system(&user, "role:members"),
    );
    let delete = json!([id]).to_string();
    user.post(&sub(top, "subgroups"), &[("delete", &delete)])
        .ok();
    let expected = json!([{"type": "channel", "channel_id": channel.stream_id,
        "settings": ["can_send_message_group"]}]);
    assert_eq!(objections(&user, id), expected);
    fixture::channel_column(server(), &channel, "is_archived", &1);
    deactivate(&user, id).ok();
}

/// A channel that the caller cannot see blocks the deactivation without being named.
#[test]
fn a_hidden_channel_is_not_named_in_the_error() {
    let (user, other) = (server().user("member"), server().user("member"));
    let id = group(&user);
    let channel = fixture::channel(server(), ChannelKind::PrivateShared, &[&other]);
    set_permission("channel", channel.stream_id, "can_send_message_group", id);
    assert_eq!(objections(&user, id), json!([]));
    let visible = &objections(&server().user("owner"), id)[0];
    assert_eq!(visible["channel_id"], channel.stream_id);
}
