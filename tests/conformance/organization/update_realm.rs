//! PATCH /realm: required roles, valid values, all or nothing (docs/protocol/permissions.md,
//! docs/protocol/register.md#realm).

use serde_json::{Value, json};
use spindle_tests::fixture::{self, ChannelKind};
use spindle_tests::{Reply, User, unique};

use super::{REALM, alone, group_id, realm};

fn set(user: &User, name: &str, text: &str) -> Reply {
    user.patch(REALM, &[(name, text)])
}

#[test]
fn settings_need_an_administrator_and_some_an_owner() {
    let server = alone();
    let (owner, admin) = (server.user("owner"), server.user("administrator"));
    for role in ["moderator", "member", "guest"] {
        let user = server.user(role);
        // The role is checked before invalid parameters.
        set(&user, "digest_weekday", "x").error(400, "UNAUTHORIZED_PRINCIPAL");
    }
    let group = json!({"new": group_id(&owner, "role:moderators")}).to_string();
    for (name, value) in [
        ("waiting_period_threshold", "0"),
        ("message_retention_days", "unlimited"),
        ("owner_full_content_access", "false"),
        ("invite_required", "true"),
        ("emails_restricted_to_domains", "false"),
        ("disallow_disposable_email_addresses", "true"),
        ("can_create_groups", group.as_str()),
        ("can_manage_all_groups", &group),
        ("can_invite_users_group", &group),
        ("create_multiuse_invite_group", &group),
    ] {
        set(&admin, name, value).error(400, "UNAUTHORIZED_PRINCIPAL");
        // Types are checked first.
        set(&admin, name, "\"x\"").bad_request();
        set(&owner, name, value).ok();
    }
    set(&admin, "can_delete_any_message_group", &group).ok();
    set(&admin, "digest_weekday", "2").ok();
    let both = [("digest_weekday", "3"), ("waiting_period_threshold", "9")];
    admin
        .patch(REALM, &both)
        .error(400, "UNAUTHORIZED_PRINCIPAL");
    assert_eq!(realm(&admin)["realm_digest_weekday"], 2, "all or nothing");
}

#[test]
fn every_plain_setting_can_be_changed() {
    let server = alone();
    let owner = server.user("owner");
    let channel = fixture::channel(&server, ChannelKind::Public, &[&owner]);
    let reports = fixture::channel(&server, ChannelKind::PrivateShared, &[&owner]);
    let id = channel.id();
    for (name, text, value) in [
        ("allow_message_editing", "false", json!(false)),
        ("avatar_changes_disabled", "true", json!(true)),
        ("default_avatar_source", "G", json!("G")),
        ("default_code_block_language", "rust", json!("rust")),
        ("default_code_block_language", "", json!("")),
        ("default_language", "de", json!("de")),
        ("description", "*new*", json!("*new*")),
        ("digest_emails_enabled", "true", json!(true)),
        ("digest_weekday", "6", json!(6)),
        ("disallow_disposable_email_addresses", "false", json!(false)),
        ("email_changes_disabled", "true", json!(true)),
        ("emails_restricted_to_domains", "true", json!(true)),
        ("enable_guest_user_dm_warning", "false", json!(false)),
        ("enable_guest_user_indicator", "false", json!(false)),
        ("enable_read_receipts", "false", json!(false)),
        ("enable_spectator_access", "false", json!(false)),
        ("gif_rating_policy", "0", json!(0)),
        ("inline_image_preview", "false", json!(false)),
        ("inline_url_embed_preview", "true", json!(true)),
        ("invite_required", "false", json!(false)),
        (
            "jitsi_server_url",
            "https://meet.example",
            json!("https://meet.example"),
        ),
        (
            "jitsi_server_url",
            "https://meet.example/rooms/",
            json!("https://meet.example/rooms"),
        ),
        ("jitsi_server_url", "default", json!(null)),
        ("media_preview_size", "200", json!(200)),
        (
            "message_content_allowed_in_email_notifications",
            "false",
            json!(false),
        ),
        (
            "message_content_delete_limit_seconds",
            "unlimited",
            json!(null),
        ),
        ("message_content_delete_limit_seconds", "60", json!(60)),
        ("message_content_edit_limit_seconds", "null", json!(null)),
        (
            "message_edit_history_visibility_policy",
            "none",
            json!("none"),
        ),
        ("message_retention_days", "30", json!(30)),
        ("message_retention_days", "\"unlimited\"", json!(-1)),
        (
            "moderation_request_channel_id",
            &reports.id(),
            json!(reports.stream_id),
        ),
        ("move_messages_between_streams_limit_seconds", "1", json!(1)),
        (
            "move_messages_within_stream_limit_seconds",
            "\"unlimited\"",
            json!(null),
        ),
        ("name", "  New name ", json!("New name")),
        ("name_changes_disabled", "true", json!(true)),
        (
            "new_stream_announcements_stream_id",
            &id,
            json!(channel.stream_id),
        ),
        ("new_stream_announcements_stream_id", "-1", json!(-1)),
        ("org_type", "30", json!(30)),
        ("owner_full_content_access", "true", json!(true)),
        ("presence_disabled", "true", json!(true)),
        ("require_e2ee_push_notifications", "true", json!(true)),
        ("require_unique_names", "true", json!(true)),
        ("send_channel_events_messages", "false", json!(false)),
        ("send_welcome_emails", "false", json!(false)),
        (
            "signup_announcements_stream_id",
            &id,
            json!(channel.stream_id),
        ),
        (
            "topics_policy",
            "disable_empty_topic",
            json!("disable_empty_topic"),
        ),
        ("video_chat_provider", "0", json!(0)),
        ("waiting_period_threshold", "2", json!(2)),
        (
            "want_advertise_in_communities_directory",
            "true",
            json!(true),
        ),
        ("welcome_message_custom_text", "Hello!", json!("Hello!")),
        (
            "zulip_update_announcements_stream_id",
            &id,
            json!(channel.stream_id),
        ),
    ] {
        let reply = set(&owner, name, text);
        assert!(reply.ignored().is_empty(), "{name}");
        reply.ok();
        assert_eq!(
            realm(&owner)[format!("realm_{name}").as_str()],
            value,
            "{name}"
        );
        let before = realm(&owner)[format!("realm_{name}").as_str()].clone();
        assert_eq!(before, value);
    }
    super::reset(&owner);
}

#[test]
fn invalid_values_change_nothing() {
    let server = alone();
    let owner = server.user("owner");
    let before = realm(&owner);
    let long = |length: usize| "é".repeat(length);
    for (name, text) in [
        ("name", ""),
        ("name", "  "),
        ("name", "a\nb"),
        ("name", &long(41)),
        ("description", &long(1001)),
        ("default_language", "xx-none"),
        ("default_language", ""),
        ("default_code_block_language", &long(41)),
        ("welcome_message_custom_text", &long(8001)),
        ("invite_required", "True"),
        ("invite_required", "1"),
        ("invite_required", "null"),
        ("digest_weekday", "7"),
        ("digest_weekday", "-1"),
        ("digest_weekday", "1.0"),
        ("digest_weekday", "\"1\""),
        ("media_preview_size", "120"),
        ("gif_rating_policy", "5"),
        ("org_type", "1"),
        ("video_chat_provider", "2"),
        ("topics_policy", "\"allow_empty_topic\""),
        ("topics_policy", "inherit"),
        ("message_edit_history_visibility_policy", "some"),
        ("message_content_edit_limit_seconds", "0"),
        ("message_content_edit_limit_seconds", "-1"),
        ("message_content_delete_limit_seconds", "0"),
        ("message_content_delete_limit_seconds", "forever"),
        ("message_retention_days", "0"),
        ("message_retention_days", "-2"),
        ("message_retention_days", "null"),
        ("waiting_period_threshold", "-1"),
        ("jitsi_server_url", "javascript:alert(1)"),
        ("jitsi_server_url", "https://"),
        ("jitsi_server_url", "5 or so"),
        ("new_stream_announcements_stream_id", "0"),
        ("new_stream_announcements_stream_id", "-2"),
        ("new_stream_announcements_stream_id", "null"),
    ] {
        set(&owner, name, text).bad_request();
        let both = [("digest_weekday", "4"), (name, text)];
        owner.patch(REALM, &both).bad_request();
    }
    assert_eq!(realm(&owner), before);
}

#[test]
fn announcement_channels_must_be_visible_to_the_caller() {
    let server = alone();
    let (admin, member) = (server.user("administrator"), server.user("member"));
    let body =
        set(&admin, "signup_announcements_stream_id", "999999").error(400, "STREAM_DOES_NOT_EXIST");
    assert_eq!(body["stream_id"], 999_999);
    let archived = fixture::channel(&server, ChannelKind::Public, &[&member]);
    fixture::channel_column(&server, &archived, "is_archived", &1);
    set(&admin, "signup_announcements_stream_id", &archived.id()).bad_request();
    let private = fixture::channel(&server, ChannelKind::PrivateShared, &[&admin]);
    set(&admin, "moderation_request_channel_id", &private.id()).ok();
    set(&admin, "moderation_request_channel_id", "-1").ok();
}

/// Reports hold direct messages and messages of private channels.
#[test]
fn the_channel_of_reports_is_private_and_stays_so() {
    let server = alone();
    let admin = server.user("administrator");
    let public = fixture::channel(&server, ChannelKind::Public, &[&admin]);
    set(&admin, "moderation_request_channel_id", &public.id()).bad_request();
    let private = fixture::channel(&server, ChannelKind::PrivateShared, &[&admin]);
    set(&admin, "moderation_request_channel_id", &private.id()).ok();
    let publish = || {
        let path = format!("/streams/{}", private.id());
        admin.patch(&path, &[("is_private", "false")])
    };
    publish().bad_request();
    set(&admin, "moderation_request_channel_id", "-1").ok();
    publish().ok();
}

#[test]
fn permissions_accept_groups_and_sets_of_users() {
    let server = alone();
    let (owner, member) = (server.user("owner"), server.user("member"));
    let name = "can_add_custom_emoji_group";
    let field = format!("realm_{name}");
    let value = || realm(&owner)[field.as_str()].clone();
    let (moderators, nobody) = (
        group_id(&owner, "role:moderators"),
        group_id(&owner, "role:nobody"),
    );
    let update = |new: Value| set(&owner, name, &json!({"new": new}).to_string());
    update(json!(moderators)).ok();
    assert_eq!(value(), moderators);
    let people = json!({"direct_members": [member.user_id, owner.user_id, member.user_id],
        "direct_subgroups": [moderators]});
    update(people).ok();
    let mut ids = vec![owner.user_id, member.user_id];
    ids.sort_unstable();
    let stored = json!({"direct_members": ids, "direct_subgroups": [moderators]});
    assert_eq!(value(), stored, "sorted, each once");
    update(json!({"direct_members": [], "direct_subgroups": [moderators]})).ok();
    assert_eq!(value(), moderators, "one group is that group");
    update(json!({"direct_members": [], "direct_subgroups": []})).ok();
    assert_eq!(value(), nobody, "an empty set is role:nobody");
    for wrong in [
        json!(999_999),
        json!(group_id(&owner, "role:internet")),
        json!(group_id(&owner, "role:everyone")),
        json!({"direct_members": [999_999], "direct_subgroups": []}),
        json!({"direct_members": [], "direct_subgroups": [999_999, moderators]}),
        json!({"direct_members": []}),
        json!("role:members"),
        Value::Null,
    ] {
        update(wrong).bad_request();
        assert_eq!(value(), nobody);
    }
    for wrong in ["5", "{}", "{\"old\": 5}", "x"] {
        set(&owner, name, wrong).bad_request();
    }
}

#[test]
fn an_expectation_that_fails_changes_nothing() {
    let server = alone();
    let owner = server.user("owner");
    let name = "can_resolve_topics_group";
    let (members, everyone) = (
        group_id(&owner, "role:members"),
        group_id(&owner, "role:everyone"),
    );
    let update =
        |new: i64, old: Value| set(&owner, name, &json!({"new": new, "old": old}).to_string());
    let wrong = json!({"direct_members": [], "direct_subgroups": [everyone]});
    update(members, wrong).error(400, "EXPECTATION_MISMATCH");
    update(members, json!(members)).error(400, "EXPECTATION_MISMATCH");
    update(members, json!(everyone)).ok();
    assert_eq!(realm(&owner)["realm_can_resolve_topics_group"], members);
    update(everyone, json!(members)).ok();
}

#[test]
fn some_permissions_accept_system_groups_only() {
    let server = alone();
    let owner = server.user("owner");
    let people = json!({"new": {"direct_members": [owner.user_id], "direct_subgroups": []}});
    for name in [
        "can_access_all_users_group",
        "can_create_web_public_channel_group",
    ] {
        let body = set(&owner, name, &people.to_string()).error(400, "SYSTEM_GROUP_REQUIRED");
        assert_eq!(body["setting_name"], name);
    }
    let to = |group: &str| json!({"new": group_id(&owner, group)}).to_string();
    set(&owner, "can_access_all_users_group", &to("role:moderators")).bad_request();
    set(&owner, "can_access_all_users_group", &to("role:nobody")).bad_request();
    set(
        &owner,
        "can_create_web_public_channel_group",
        &to("role:members"),
    )
    .bad_request();
    set(&owner, "can_manage_all_groups", &to("role:nobody")).bad_request();
}

#[test]
fn unknown_parameters_are_reported_and_an_empty_request_succeeds() {
    let server = alone();
    let admin = server.user("administrator");
    admin.patch(REALM, &[]).ok();
    let name = unique("no_such_");
    let reply = admin.patch(REALM, &[(name.as_str(), "1")]);
    assert_eq!(reply.ignored(), [name]);
}
