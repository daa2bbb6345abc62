//! POST /users/me/subscriptions for channels that are created by it.

use serde_json::{Value, json};
use spindle_tests::{Reply, User, unique};

use super::{add, find, ids, listen, received, record};
use crate::support::{keys, server, settle};

/// Creates a channel and returns its record as its creator gets it.
#[track_caller]
fn create(user: &User, extra: &[(&str, &str)]) -> Value {
    let name = unique("made ");
    add(user, &[&name], extra).ok();
    by_name(user, &name).expect("subscribed")
}

/// Tries to create a channel; a refused request leaves no channel behind.
#[track_caller]
fn refuse(user: &User, extra: &[(&str, &str)]) -> Reply {
    let name = unique("refused ");
    let reply = add(user, &[&name], extra);
    assert_ne!(reply.status, 200, "{extra:?}");
    let count: i64 = server()
        .database()
        .query_row(
            "SELECT count(*) FROM channels WHERE name = ?1",
            [&name],
            |row| row.get(0),
        )
        .unwrap();
    assert_eq!(count, 0, "{extra:?}");
    reply
}

fn by_name(user: &User, name: &str) -> Option<Value> {
    let body = user.get(
        "/users/me/subscriptions",
        &[("include_subscribers", "true")],
    );
    let body = body.ok();
    let list = body["subscriptions"].as_array().unwrap();
    list.iter().find(|record| record["name"] == name).cloned()
}

fn group(name: &str) -> i64 {
    server()
        .database()
        .query_row(
            "SELECT id FROM user_groups WHERE name = ?1",
            [name],
            |row| row.get(0),
        )
        .unwrap()
}

#[test]
fn a_created_channel_has_the_defaults() {
    let user = server().user("member");
    let made = create(&user, &[]);
    for (name, value) in [
        ("invite_only", json!(false)),
        ("is_web_public", json!(false)),
        ("is_archived", json!(false)),
        ("history_public_to_subscribers", json!(true)),
        ("message_retention_days", Value::Null),
        ("topics_policy", json!("inherit")),
        ("folder_id", Value::Null),
        ("description", json!("")),
        ("rendered_description", json!("")),
        ("stream_weekly_traffic", Value::Null),
        ("creator_id", json!(user.user_id)),
        ("subscriber_count", json!(1)),
        ("subscribers", json!([user.user_id])),
        ("can_add_subscribers_group", json!(group("role:nobody"))),
        (
            "can_remove_subscribers_group",
            json!(group("role:administrators")),
        ),
        ("can_send_message_group", json!(group("role:everyone"))),
        ("can_create_topic_group", json!(group("role:everyone"))),
        ("can_subscribe_group", json!(group("role:nobody"))),
        (
            "can_administer_channel_group",
            json!({"direct_members": [user.user_id], "direct_subgroups": []}),
        ),
    ] {
        assert_eq!(made[name], value, "{name}");
    }
}

#[test]
fn a_description_is_one_line_of_markdown() {
    let user = server().user("member");
    let name = unique("described ");
    let describe = |description: &str| {
        let wishes = json!([{"name": name, "description": description}]).to_string();
        user.post("/users/me/subscriptions", &[("subscriptions", &wishes)])
    };
    describe(&"x".repeat(1025)).bad_request();
    describe("**bold**\nand more").ok();
    let made = by_name(&user, &name).unwrap();
    assert_eq!(made["description"], "**bold** and more");
    let html = made["rendered_description"].as_str().unwrap();
    assert!(html.contains("<strong>bold</strong>"), "{html}");
}

#[test]
fn names_are_trimmed_and_bounded() {
    let user = server().user("member");
    for wrong in ["", "  ", "a\u{7}b", "\u{FDD0}"] {
        add(&user, &[wrong], &[]).bad_request();
    }
    let base = unique("é");
    let sixty = format!("{base}{}", "é".repeat(60 - base.chars().count()));
    add(&user, &[&format!("{sixty}x")], &[]).bad_request();
    add(&user, &[&format!("  {sixty}\t")], &[]).ok();
    assert!(by_name(&user, &sixty).is_some());
}

#[test]
fn properties_of_a_created_channel_are_stored() {
    let owner = server().user("owner");
    let made = create(
        &owner,
        &[
            ("invite_only", "true"),
            ("history_public_to_subscribers", "true"),
            ("message_retention_days", "30"),
            ("topics_policy", "empty_topic_only"),
            ("folder_id", "null"),
        ],
    );
    assert_eq!(made["invite_only"], true);
    assert_eq!(made["history_public_to_subscribers"], true);
    assert_eq!(made["message_retention_days"], 30);
    assert_eq!(made["topics_policy"], "empty_topic_only");
    let made = create(
        &owner,
        &[
            ("invite_only", "true"),
            ("message_retention_days", "\"unlimited\""),
        ],
    );
    assert_eq!(made["history_public_to_subscribers"], false);
    assert_eq!(made["message_retention_days"], -1);
    // Only private channels can have protected history.
    let made = create(&owner, &[("history_public_to_subscribers", "false")]);
    assert_eq!(made["history_public_to_subscribers"], true);
    let made = create(&owner, &[("is_web_public", "true")]);
    assert_eq!(made["is_web_public"], true);
}

#[test]
fn contradictory_properties_are_refused() {
    let owner = server().user("owner");
    refuse(
        &owner,
        &[("invite_only", "true"), ("is_web_public", "true")],
    )
    .bad_request();
    refuse(
        &owner,
        &[("invite_only", "true"), ("is_default_stream", "true")],
    )
    .bad_request();
    refuse(&owner, &[("folder_id", "999999")]).bad_request();
    refuse(&owner, &[("message_retention_days", "0")]).bad_request();
    refuse(&owner, &[("topics_policy", "other")]).bad_request();
    let moderators = group("role:moderators").to_string();
    let topics = ("can_create_topic_group", moderators.as_str());
    refuse(&owner, &[("invite_only", "true"), topics]).bad_request();
    create(&owner, &[topics]);
    let shared = ("history_public_to_subscribers", "true");
    create(&owner, &[("invite_only", "true"), shared, topics]);
}

#[test]
fn a_channel_cannot_be_created_in_an_archived_folder() {
    let owner = server().user("owner");
    let pairs = [("name", unique("folder ")), ("description", String::new())];
    let pairs = pairs
        .each_ref()
        .map(|(name, value)| (*name, value.as_str()));
    let body = owner.post("/channel_folders/create", &pairs).ok();
    let folder = body["channel_folder_id"].to_string();
    let made = create(&owner, &[("folder_id", &folder)]);
    assert_eq!(made["folder_id"].to_string(), folder);
    let empty = [("name", unique("folder ")), ("description", String::new())];
    let empty = empty
        .each_ref()
        .map(|(name, value)| (*name, value.as_str()));
    let body = owner.post("/channel_folders/create", &empty).ok();
    let folder = body["channel_folder_id"].to_string();
    let path = format!("/channel_folders/{folder}");
    owner.patch(&path, &[("is_archived", "true")]).ok();
    refuse(&owner, &[("folder_id", &folder)]).bad_request();
}

#[test]
fn permissions_have_the_form_for_creation() {
    let user = server().user("member");
    let members = group("role:members");
    let own = json!({"direct_members": [user.user_id], "direct_subgroups": []}).to_string();
    let wrapped = json!({"direct_members": [], "direct_subgroups": [members]}).to_string();
    let empty = json!({"direct_members": [], "direct_subgroups": []}).to_string();
    let made = create(
        &user,
        &[
            ("can_send_message_group", &own),
            ("can_subscribe_group", &wrapped),
            ("can_administer_channel_group", &empty),
        ],
    );
    let expected = json!({"direct_members": [user.user_id], "direct_subgroups": []});
    assert_eq!(made["can_send_message_group"], expected);
    assert_eq!(made["can_subscribe_group"], members);
    assert_eq!(made["can_administer_channel_group"], group("role:nobody"));
    let internet = group("role:internet").to_string();
    let everyone = group("role:everyone").to_string();
    for (name, value) in [
        ("can_send_message_group", internet.as_str()),
        ("can_subscribe_group", everyone.as_str()),
        ("can_send_message_group", "999999"),
        ("can_send_message_group", "\"role:members\""),
        (
            "can_send_message_group",
            "{\"direct_members\":[999999],\"direct_subgroups\":[]}",
        ),
        ("can_send_message_group", "{\"new\":5}"),
    ] {
        refuse(&user, &[(name, value)]).bad_request();
    }
}

#[test]
fn creating_needs_the_permission_of_the_organization() {
    let guest = server().user("guest");
    refuse(&guest, &[]).bad_request();
    refuse(&guest, &[("invite_only", "true")]).bad_request();
    let member = server().user("member");
    create(&member, &[("invite_only", "true")]);
    // Only owners, by default.
    for role in ["member", "moderator", "administrator"] {
        refuse(&server().user(role), &[("is_web_public", "true")]).bad_request();
    }
    let bot = server().bot();
    create(&bot, &[]);
}

#[test]
fn some_properties_of_a_channel_need_a_role() {
    let (member, admin) = (server().user("member"), server().user("administrator"));
    let retention = [("message_retention_days", "7")];
    refuse(&admin, &retention).error(400, "UNAUTHORIZED_PRINCIPAL");
    let default = [("is_default_stream", "true")];
    refuse(&member, &default).error(400, "UNAUTHORIZED_PRINCIPAL");
    create(&member, &[("topics_policy", "disable_empty_topic")]);
    create(&admin, &[("message_retention_days", "realm_default")]);
}

#[test]
fn the_event_of_a_created_channel_precedes_its_subscriptions() {
    let (user, other, guest) = (
        server().user("member"),
        server().user("member"),
        server().user("guest"),
    );
    let mut queues = [&user, &other, &guest].map(listen);
    let made = create(&user, &[("principals", &ids(&[&user, &guest]))]);
    let id = made["stream_id"].as_i64().unwrap();
    let [own, others, guests] = queues.each_mut().map(settle);
    let both = ["stream create", "subscription add"];
    assert_eq!(received(&own, id), both);
    assert_eq!(
        received(&others, id),
        ["stream create", "subscription peer_add"]
    );
    assert_eq!(received(&guests, id), both);
    let object = &find(&others, id, "stream", "create")["streams"][0];
    assert_eq!(object["subscriber_count"], 0);
    assert!(!keys(object).contains(&"color"));
    let record = &find(&guests, id, "subscription", "add")["subscriptions"][0];
    assert_eq!(record["subscribers"], json!([user.user_id, guest.user_id]));
}

#[test]
fn events_of_a_private_channel_go_to_those_who_can_see_it() {
    let (user, invited, other, admin) = (
        server().user("member"),
        server().user("guest"),
        server().user("moderator"),
        server().user("administrator"),
    );
    let mut queues = [&user, &invited, &other, &admin].map(listen);
    let extra = [
        ("invite_only", "true"),
        ("principals", &ids(&[&invited, &user])),
    ];
    let made = create(&user, &extra);
    let id = made["stream_id"].as_i64().unwrap();
    let [own, guests, others, admins] = queues.each_mut().map(settle);
    assert_eq!(received(&own, id), ["stream create", "subscription add"]);
    assert_eq!(received(&guests, id), ["stream create", "subscription add"]);
    assert!(received(&others, id).is_empty());
    assert_eq!(
        received(&admins, id),
        ["stream create", "subscription peer_add"]
    );
}

#[test]
fn the_creator_need_not_be_subscribed() {
    let (user, other) = (server().user("member"), server().user("member"));
    let name = unique("for others ");
    let extra = [("invite_only", "true"), ("principals", &ids(&[&other]))];
    let body = add(&user, &[&name], &extra).ok();
    assert_eq!(body["subscribed"], json!({other.id(): [name]}));
    let id = by_name(&other, &name).unwrap()["stream_id"]
        .as_i64()
        .unwrap();
    assert_eq!(record(&user, id), None);
    // The creator administers the channel, and can therefore see it.
    user.get(&format!("/streams/{id}/members"), &[]).ok();
    add(&user, &[&name], &[]).bad_request();
}

#[test]
fn new_accounts_are_subscribed_to_default_channels_hidden_from_guests() {
    let (owner, guest) = (server().user("owner"), server().user("guest"));
    let mut queues = [&owner, &guest].map(listen);
    let made = create(&owner, &[("is_default_stream", "true")]);
    let id = made["stream_id"].as_i64().unwrap();
    let [own, guests] = queues.each_mut().map(settle);
    let expected = ["stream create", "default_streams ", "subscription add"];
    // New accounts of other tests may have been subscribed already.
    assert_eq!(received(&own, id)[..3], expected);
    assert!(received(&guests, id).is_empty());
    assert!(record(&server().user("member"), id).is_some());
    assert!(record(&server().user("guest"), id).is_none());
    // Subscriptions of other tests' new accounts are counted too.
    server()
        .database()
        .execute("DELETE FROM default_channels WHERE channel_id = ?1", [id])
        .unwrap();
}

#[test]
fn several_channels_are_created_at_once() {
    let user = server().user("member");
    let names = [unique("one "), unique("two "), unique("three ")];
    let names = names.each_ref().map(String::as_str);
    let body = add(&user, &names, &[("invite_only", "true")]).ok();
    assert_eq!(body["subscribed"], json!({user.id(): names}));
    for name in names {
        assert_eq!(by_name(&user, name).unwrap()["invite_only"], true);
    }
}

#[test]
fn unknown_parameters_are_named() {
    let user = server().user("member");
    let reply = add(
        &user,
        &[&unique("ignored ")],
        &[("nonsense", "1"), ("announce", "true")],
    );
    assert_eq!(reply.ignored(), ["nonsense"]);
}
