//! PATCH /streams/{stream_id}: name, description, folder, retention, topics, privacy
//! (docs/protocol/channels.md#channel-object, docs/protocol/limits.md#text,
//! docs/protocol/channels.md#update_channel).

use serde_json::{Value, json};
use spindle_tests::fixture::{self, Channel, ChannelKind};
use spindle_tests::{Reply, User, unique};

use super::{path, stream};
use crate::support::server;

fn patch(user: &User, channel: &Channel, pairs: &[(&str, &str)]) -> Reply {
    user.patch(&path(channel), pairs)
}

fn admin() -> User {
    server().user("administrator")
}

fn send(user: &User, channel: &Channel, topic: &str) -> Reply {
    let id = channel.id();
    let pairs = [
        ("type", "channel"),
        ("to", &id),
        ("topic", topic),
        ("content", "x"),
    ];
    user.post("/messages", &pairs)
}

#[test]
fn only_administrators_of_the_channel_or_the_organization_change_it() {
    let (admin, member) = (admin(), server().user("member"));
    let public = fixture::channel(server(), ChannelKind::Public, &[]);
    let private = fixture::channel(server(), ChannelKind::PrivateShared, &[&admin]);
    let pairs = [("description", "changed")];
    fixture::channel_permission(
        server(),
        &public,
        "can_administer_channel_group",
        "role:nobody",
    );
    for role in ["moderator", "member"] {
        let user = server().user(role);
        patch(&user, &public, &pairs).error(400, "CANNOT_ADMINISTER_CHANNEL");
        let hidden = patch(&user, &private, &pairs).error(400, "STREAM_DOES_NOT_EXIST");
        assert_eq!(hidden["stream_id"], private.stream_id);
    }
    let guest = server().user("guest");
    patch(&guest, &public, &pairs).error(400, "STREAM_DOES_NOT_EXIST");
    assert_eq!(stream(&admin, &public)["description"], "");
    for channel in [&public, &private] {
        fixture::channel_permission(
            server(),
            channel,
            "can_administer_channel_group",
            "role:members",
        );
        patch(&member, channel, &pairs).ok();
        assert_eq!(stream(&member, channel)["description"], "changed");
    }
    // Guests never administer a channel, even as its subscribers.
    fixture::subscribe(server(), &guest, &public);
    fixture::channel_permission(
        server(),
        &public,
        "can_administer_channel_group",
        "role:everyone",
    );
    patch(&guest, &public, &pairs).error(400, "CANNOT_ADMINISTER_CHANNEL");
    let missing = admin.patch("/streams/99999999", &pairs);
    missing.error(400, "STREAM_DOES_NOT_EXIST");
}

#[test]
fn names_are_trimmed_unique_and_measured() {
    let admin = admin();
    let channel = fixture::channel(server(), ChannelKind::Public, &[]);
    let other = fixture::channel(server(), ChannelKind::PrivateShared, &[]);
    let rename = |name: &str| patch(&admin, &channel, &[("new_name", name)]);
    let name = unique("Näme ");
    rename(&format!("  {name}\n")).ok();
    assert_eq!(stream(&admin, &channel)["name"], name.as_str());
    rename(&name.to_uppercase()).ok();
    rename(&name).ok();
    for bad in [
        "",
        "  ",
        "a\u{7}b",
        &"é".repeat(61),
        &other.name,
        &other.name.to_uppercase(),
    ] {
        rename(bad).bad_request();
    }
    assert_eq!(stream(&admin, &channel)["name"], name.as_str());
    let found = admin.get("/get_stream_id", &[("stream", &name)]).ok();
    assert_eq!(found["stream_id"], channel.stream_id);
}

#[test]
fn descriptions_are_rendered_in_one_line() {
    let admin = admin();
    let channel = fixture::channel(server(), ChannelKind::Public, &[]);
    let describe = |text: &str| patch(&admin, &channel, &[("description", text)]);
    describe("**bold**\nnext").ok();
    let record = stream(&admin, &channel);
    assert_eq!(record["description"], "**bold** next");
    let html = "<p><strong>bold</strong> next</p>";
    assert_eq!(record["rendered_description"], html);
    describe(&"é".repeat(1025)).bad_request();
    describe(&"é".repeat(1024)).ok();
    describe("").ok();
    assert_eq!(stream(&admin, &channel)["rendered_description"], "");
}

#[test]
fn a_channel_can_only_be_in_an_existing_active_folder() {
    let admin = admin();
    let channel = fixture::channel(server(), ChannelKind::Public, &[]);
    let create = || {
        let name = unique("folder ");
        let pairs = [("name", name.as_str()), ("description", "")];
        admin.post("/channel_folders/create", &pairs).ok()["channel_folder_id"].clone()
    };
    let (folder, archived) = (create(), create());
    let archive = [("is_archived", "true")];
    admin
        .patch(&format!("/channel_folders/{archived}"), &archive)
        .ok();
    let put = |folder: &str| patch(&admin, &channel, &[("folder_id", folder)]);
    put(&folder.to_string()).ok();
    assert_eq!(stream(&admin, &channel)["folder_id"], folder);
    admin
        .patch(&format!("/channel_folders/{folder}"), &archive)
        .bad_request();
    put(&archived.to_string()).bad_request();
    put("99999999").bad_request();
    put("x").bad_request();
    assert_eq!(stream(&admin, &channel)["folder_id"], folder);
    put("null").ok();
    assert_eq!(stream(&admin, &channel)["folder_id"], Value::Null);
    admin
        .patch(&format!("/channel_folders/{folder}"), &archive)
        .ok();
}

#[test]
fn only_owners_set_the_retention_period() {
    let (owner, admin) = (server().user("owner"), admin());
    let channel = fixture::channel(server(), ChannelKind::Public, &[]);
    let keep = |user: &User, days: &str| patch(user, &channel, &[("message_retention_days", days)]);
    keep(&admin, "7").error(400, "UNAUTHORIZED_PRINCIPAL");
    for (days, stored) in [
        ("7", json!(7)),
        ("unlimited", json!(-1)),
        ("\"realm_default\"", Value::Null),
        ("\"unlimited\"", json!(-1)),
        ("realm_default", Value::Null),
        ("-1", json!(-1)),
    ] {
        keep(&owner, days).ok();
        assert_eq!(stream(&admin, &channel)["message_retention_days"], stored);
    }
    for days in ["0", "-2", "1.5", "\"7\"", "often", "null"] {
        keep(&owner, days).bad_request();
    }
}

#[test]
fn the_topics_policy_is_stored_and_enforced() {
    let admin = admin();
    let channel = fixture::channel(server(), ChannelKind::Public, &[&admin]);
    let set = |policy: &str| patch(&admin, &channel, &[("topics_policy", policy)]);
    set("empty_topic_only").ok();
    assert_eq!(
        stream(&admin, &channel)["topics_policy"],
        "empty_topic_only"
    );
    send(&admin, &channel, "lunch").bad_request();
    send(&admin, &channel, "").ok();
    set("disable_empty_topic").ok();
    send(&admin, &channel, "").bad_request();
    // All earlier messages are in the empty topic still.
    set("empty_topic_only").ok();
    set("inherit").ok();
    send(&admin, &channel, "lunch").ok();
    set("empty_topic_only").bad_request();
    set("sometimes").bad_request();
    assert_eq!(stream(&admin, &channel)["topics_policy"], "inherit");
    // The permission belongs to the organization; moderators lose it when it is assigned to role:nobody.
    let member = server().user("member");
    fixture::channel_permission(
        server(),
        &channel,
        "can_administer_channel_group",
        "role:members",
    );
    patch(&member, &channel, &[("topics_policy", "allow_empty_topic")]).ok();
}

#[test]
fn only_those_who_can_read_the_channel_change_its_privacy() {
    let (admin, member) = (admin(), server().user("member"));
    let channel = fixture::channel(server(), ChannelKind::PrivateProtected, &[&member]);
    // An administrator who is not subscribed changes everything that is not about access to
    // messages.
    patch(&admin, &channel, &[("description", "d")]).ok();
    for pairs in [
        [("is_private", "false")],
        [("is_web_public", "true")],
        [("history_public_to_subscribers", "true")],
    ] {
        patch(&admin, &channel, &pairs).bad_request();
    }
    assert_eq!(stream(&admin, &channel)["invite_only"], true);
    fixture::subscribe(server(), &admin, &channel);
    patch(
        &admin,
        &channel,
        &[("history_public_to_subscribers", "true")],
    )
    .ok();
    assert_eq!(
        stream(&admin, &channel)["history_public_to_subscribers"],
        true
    );
    patch(
        &admin,
        &channel,
        &[("history_public_to_subscribers", "false")],
    )
    .ok();
    patch(&admin, &channel, &[("is_private", "false")]).ok();
    let record = stream(&server().user("member"), &channel);
    assert_eq!(record["invite_only"], false);
    assert_eq!(record["history_public_to_subscribers"], true);
}

#[test]
fn contradictory_privacy_parameters_are_refused() {
    let owner = server().user("owner");
    let channel = fixture::channel(server(), ChannelKind::Public, &[&owner]);
    let set = |pairs: &[(&str, &str)]| patch(&owner, &channel, pairs);
    set(&[("is_private", "true"), ("is_web_public", "true")]).bad_request();
    set(&[("history_public_to_subscribers", "false")]).bad_request();
    set(&[("is_web_public", "true"), ("new_name", "")]).bad_request();
    assert_eq!(
        stream(&owner, &channel)["is_web_public"],
        false,
        "all or nothing"
    );
    set(&[("is_web_public", "true")]).ok();
    assert_eq!(
        stream(&server().user("guest"), &channel)["is_web_public"],
        true
    );
    // Becoming private removes the channel from the web.
    set(&[("is_private", "true")]).ok();
    let record = stream(&owner, &channel);
    assert_eq!(record["is_web_public"], false);
    assert_eq!(record["invite_only"], true);
    assert_eq!(record["history_public_to_subscribers"], true);
    set(&[("is_default_stream", "true")]).bad_request();
    set(&[("is_private", "false"), ("is_default_stream", "true")]).ok();
    set(&[("is_private", "true")]).bad_request();
    set(&[("is_private", "true"), ("is_default_stream", "false")]).ok();
}

#[test]
fn each_privacy_needs_the_permission_to_create_such_channels() {
    let (admin, member) = (admin(), server().user("member"));
    let channel = fixture::channel(server(), ChannelKind::Public, &[&admin, &member]);
    // By default only owners create web-public channels.
    patch(&admin, &channel, &[("is_web_public", "true")]).bad_request();
    fixture::channel_permission(
        server(),
        &channel,
        "can_administer_channel_group",
        "role:members",
    );
    patch(&member, &channel, &[("is_private", "true")]).ok();
    patch(&member, &channel, &[("is_private", "false")]).ok();
    let default = [("is_default_stream", "true")];
    patch(&member, &channel, &default).error(400, "UNAUTHORIZED_PRINCIPAL");
}

#[test]
fn without_parameters_nothing_changes_and_bad_values_are_named() {
    let admin = admin();
    let channel = fixture::channel(server(), ChannelKind::Public, &[]);
    let before = stream(&admin, &channel);
    patch(&admin, &channel, &[]).ok();
    let reply = patch(&admin, &channel, &[("colour", "red"), ("stream_id", "1")]);
    assert_eq!(reply.ignored(), ["colour"]);
    for (name, value) in [
        ("is_private", "1"),
        ("is_web_public", "True"),
        ("is_archived", "0"),
        ("can_send_message_group", "5"),
        ("can_send_message_group", "{}"),
    ] {
        let error = patch(&admin, &channel, &[(name, value)]).bad_request();
        assert!(error["msg"].as_str().unwrap().contains(name), "{error}");
    }
    assert_eq!(stream(&admin, &channel), before);
}
