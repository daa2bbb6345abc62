//! Every permission in the announced list (`server_supported_permission_settings`), in every
//! operation that can set it: both ways to create a channel, changing it, creating and changing a
//! group, changing the organization. In each of them the list determines the valid values, and the
//! same rule determines who may set them.

use serde_json::{Map, Value, json};
use spindle_tests::fixture::{self, ChannelKind};
use spindle_tests::{Options, Reply, Server, User, unique};

use crate::support::server;

/// Permissions of a channel that need `can_set_delete_message_policy_group` (FL 407), which
/// moderators have by default.
const SET_BY_MODERATORS: [&str; 2] = [
    "can_delete_any_message_group",
    "can_delete_own_message_group",
];

/// Permissions of the organization that only owners set.
const SET_BY_OWNERS: [&str; 4] = [
    "can_create_groups",
    "can_invite_users_group",
    "can_manage_all_groups",
    "create_multiuse_invite_group",
];

/// An operation that sets a permission: the value, on behalf of a user.
type Setter = (&'static str, fn(&User, &str, &Value) -> Reply);

const CHANNEL_MADE: [Setter; 2] = [
    ("POST /channels/create", |user, name, value| {
        let (channel, value) = (unique("made "), value.to_string());
        let pairs = [
            ("name", channel.as_str()),
            ("subscribers", "[]"),
            (name, &value),
        ];
        user.post("/channels/create", &pairs)
    }),
    ("POST /users/me/subscriptions", |user, name, value| {
        let channels = json!([{"name": unique("made ")}]).to_string();
        let pairs = [
            ("subscriptions", channels.as_str()),
            (name, &value.to_string()),
        ];
        user.post("/users/me/subscriptions", &pairs)
    }),
];

const CHANNEL_CHANGED: Setter = ("PATCH /streams/{stream_id}", |user, name, value| {
    let channel = fixture::channel(server(), ChannelKind::Public, &[user]);
    let administer = "can_administer_channel_group";
    fixture::channel_permission(server(), &channel, administer, "role:members");
    user.patch(
        &format!("/streams/{}", channel.id()),
        &[(name, &update(value))],
    )
});

const GROUP_MADE: Setter = ("POST /user_groups/create", |user, name, value| {
    let (group, value) = (unique("group "), value.to_string());
    let pairs = [
        ("name", group.as_str()),
        ("description", ""),
        ("members", "[]"),
    ];
    user.post(
        "/user_groups/create",
        &[&pairs[..], &[(name, &value)]].concat(),
    )
});

const GROUP_CHANGED: Setter = ("PATCH /user_groups/{user_group_id}", |user, name, value| {
    let group = group_of(user);
    user.patch(&format!("/user_groups/{group}"), &[(name, &update(value))])
});

const REALM_CHANGED: Setter = ("PATCH /realm", |user, name, value| {
    user.patch("/realm", &[(name, &update(value))])
});

fn update(value: &Value) -> String {
    json!({"new": value}).to_string()
}

/// A group that the user created and manages.
fn group_of(user: &User) -> i64 {
    let name = unique("group ");
    let pairs = [
        ("name", name.as_str()),
        ("description", ""),
        ("members", "[]"),
    ];
    let made = user.post("/user_groups/create", &pairs).ok();
    made["group_id"].as_i64().unwrap()
}

/// The announced records of one of the three lists, by name.
fn announced(user: &User, list: &str) -> Map<String, Value> {
    let pairs = [("event_types", "[]"), ("fetch_event_types", "[\"realm\"]")];
    let body = user.post("/register", &pairs).ok();
    let supported = &body["server_supported_permission_settings"][list];
    supported.as_object().unwrap().clone()
}

/// Ids of the system groups by name.
fn system_groups(user: &User) -> Map<String, Value> {
    let body = user.get("/user_groups", &[]).ok();
    let groups = body["user_groups"].as_array().unwrap().iter();
    let system = groups.filter(|group| group["is_system_group"] == true);
    let named = system.map(|group| {
        (
            group["name"].as_str().unwrap().to_owned(),
            group["id"].clone(),
        )
    });
    named.collect()
}

/// Whether a system group may hold a permission, by its record.
fn admits(record: &Value, name: &str, group: &str) -> bool {
    let listed = record["allowed_system_groups"].as_array().unwrap();
    let is_listed = listed.is_empty() || listed.iter().any(|known| known == group);
    // The specification forbids it, and the record has no field for it.
    let is_forbidden = name == "can_mention_group" && group == "role:owners";
    let is_flagged = match group {
        "role:internet" => record["allow_internet_group"] == true,
        "role:everyone" => record["allow_everyone_group"] == true,
        "role:nobody" => record["allow_nobody_group"] == true,
        _ => true,
    };
    is_listed && is_flagged && !is_forbidden
}

/// Passes every value of every permission of a list to an operation; `user` may set all of them.
fn values_are_those_of_the_list(user: &User, list: &str, place: Setter) {
    let (title, write) = place;
    let system = system_groups(user);
    let (own, deactivated) = (group_of(user), group_of(user));
    user.post(&format!("/user_groups/{deactivated}/deactivate"), &[])
        .ok();
    for (name, record) in announced(user, list) {
        let expect = |value: Value, is_allowed: bool, what: &str| {
            let reply = write(user, &name, &value);
            let found = reply.status == 200;
            assert_eq!(
                found, is_allowed,
                "{title} {name}: {what}: {:?}",
                reply.body
            );
        };
        for (group, id) in &system {
            expect(id.clone(), admits(&record, &name, group), group);
        }
        let any = record["require_system_group"] == false;
        let people =
            |groups: &[i64]| json!({"direct_members": [user.user_id], "direct_subgroups": groups});
        expect(json!(own), any, "a group");
        expect(people(&[]), any, "a person");
        expect(json!(deactivated), false, "a deactivated group");
        expect(
            people(&[deactivated]),
            false,
            "a deactivated group as a part",
        );
        expect(json!(99_999_999), false, "a group that does not exist");
        let internet = system["role:internet"].as_i64().unwrap();
        expect(people(&[internet]), false, "role:internet as a part");
    }
}

#[test]
fn permissions_of_channels_accept_the_announced_values() {
    let owner = server().user("owner");
    for place in [CHANNEL_MADE[0], CHANNEL_MADE[1], CHANNEL_CHANGED] {
        values_are_those_of_the_list(&owner, "stream", place);
    }
}

#[test]
fn permissions_of_groups_accept_the_announced_values() {
    let owner = server().user("owner");
    for place in [GROUP_MADE, GROUP_CHANGED] {
        values_are_those_of_the_list(&owner, "group", place);
    }
}

#[test]
fn permissions_of_the_organization_accept_the_announced_values_from_the_right_roles() {
    let server = Server::own(Options::default());
    let owner = server.user("owner");
    let members = system_groups(&owner)["role:members"].clone();
    let names: Vec<String> = announced(&owner, "realm")
        .into_iter()
        .map(|(name, _)| name)
        .collect();
    for listed in SET_BY_OWNERS {
        assert!(names.iter().any(|name| name == listed), "{listed}");
    }
    for role in ["administrator", "moderator", "member", "guest"] {
        for bot in [false, true] {
            let flags: &[&str] = if bot { &["--bot"] } else { &[] };
            let user = server.user_with(role, flags);
            for name in &names {
                let reply = (REALM_CHANGED.1)(&user, name, &members);
                let is_giver = role == "administrator" && !SET_BY_OWNERS.contains(&name.as_str());
                let refused = reply.body["code"] == "UNAUTHORIZED_PRINCIPAL";
                assert_eq!(refused, !is_giver, "{role} {name}: {:?}", reply.body);
            }
        }
    }
    values_are_those_of_the_list(&owner, "realm", REALM_CHANGED);
}

/// A user who may not set a permission of an existing channel cannot create a channel with it.
#[test]
fn permissions_of_channels_are_set_by_the_right_users() {
    let (member, moderator) = (server().user("member"), server().user("moderator"));
    let system = system_groups(&member);
    let list = announced(&member, "stream");
    for listed in SET_BY_MODERATORS {
        assert!(list.contains_key(listed), "{listed}");
    }
    for (name, record) in list {
        let for_moderators = SET_BY_MODERATORS.contains(&name.as_str());
        for (title, write) in [CHANNEL_MADE[0], CHANNEL_MADE[1], CHANNEL_CHANGED] {
            let text = format!("{title} {name}");
            for value in [
                system["role:members"].clone(),
                json!({"direct_members": [member.user_id], "direct_subgroups": []}),
            ] {
                let reply = write(&member, &name, &value);
                assert_eq!(
                    reply.status == 200,
                    !for_moderators,
                    "{text}: {:?}",
                    reply.body
                );
                if for_moderators {
                    reply.bad_request();
                }
                assert_eq!(write(&moderator, &name, &value).status, 200, "{text}");
            }
        }
        // Clients send the default values along.
        let Some(default) = system.get(record["default_group_name"].as_str().unwrap()) else {
            continue;
        };
        for (_, write) in CHANNEL_MADE {
            write(&member, &name, default).ok();
        }
    }
}

#[test]
fn permissions_of_groups_are_set_by_the_right_users() {
    let (maker, other, guest) = (
        server().user("member"),
        server().user("administrator"),
        server().user("guest"),
    );
    let members = system_groups(&maker)["role:members"].clone();
    for name in announced(&maker, "group").keys() {
        (GROUP_MADE.1)(&guest, name, &members).bad_request();
        (GROUP_CHANGED.1)(&maker, name, &members).ok();
        let path = format!("/user_groups/{}", group_of(&maker));
        other
            .patch(&path, &[(name, &update(&members))])
            .bad_request();
    }
}
