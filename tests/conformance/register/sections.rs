//! Sections of the snapshot: their content (docs/protocol/register.md#sections,
//! docs/protocol/register.md#realm, docs/protocol/register.md#unread_msgs,
//! docs/protocol/settings.md#user-settings, docs/protocol/users.md#user-object,
//! docs/protocol/presence.md#forms). The fields and their types are tested in `mobile_fields`.

use serde_json::{Value, json};
use spindle_tests::User;

use crate::support::{keys, require, server};

fn section(user: &User, types: &str) -> Value {
    let types = serde_json::to_string(&types.split(' ').collect::<Vec<_>>()).unwrap();
    user.post(
        "/register",
        &[("event_types", "[]"), ("fetch_event_types", &types)],
    )
    .ok()
}

#[test]
fn the_realm_user_section_also_describes_the_requester() {
    let user = server().user("moderator");
    let body = section(&user, "realm_user");
    require(
        &body,
        "realm_users realm_non_active_users cross_realm_bots avatar_source \
         can_create_streams can_create_public_streams can_create_private_streams \
         can_create_web_public_streams can_invite_others_to_realm is_admin is_owner is_moderator \
         is_guest user_id email delivery_email full_name",
    );
    assert_eq!(body["user_id"], user.user_id);
    assert_eq!(body["full_name"], user.full_name.as_str());
    assert_eq!(body["is_moderator"], true);
    assert_eq!(body["is_admin"], false);
    let owner = section(&server().user("owner"), "realm_user");
    assert_eq!(
        [
            &owner["is_owner"],
            &owner["is_admin"],
            &owner["is_moderator"]
        ],
        [true, true, true]
    );
}

#[test]
fn limits_and_realm_fields_have_their_values() {
    let user = server().user("member");
    let body = section(&user, "realm");
    for (field, value) in [
        ("max_message_length", 10_000),
        ("max_topic_length", 60),
        ("max_stream_name_length", 60),
        ("max_stream_description_length", 1024),
        ("max_channel_folder_name_length", 60),
        ("max_channel_folder_description_length", 1024),
        ("max_reminder_note_length", 500),
        ("max_bulk_new_subscription_messages", 100),
        ("max_file_upload_size_mib", 25),
        ("max_avatar_file_size_mib", 5),
        ("max_icon_file_size_mib", 5),
        ("max_logo_file_size_mib", 5),
        ("server_presence_ping_interval_seconds", 60),
        ("server_presence_offline_threshold_seconds", 200),
        ("server_typing_started_expiry_period_milliseconds", 45_000),
        ("server_typing_stopped_wait_period_milliseconds", 12_000),
        ("server_typing_started_wait_period_milliseconds", 30_000),
        ("event_queue_longpoll_timeout_seconds", 90),
        ("realm_plan_type", 1),
        ("realm_message_retention_days", -1),
        ("realm_new_stream_announcements_stream_id", -1),
        ("realm_signup_announcements_stream_id", -1),
        ("realm_zulip_update_announcements_stream_id", -1),
        ("realm_moderation_request_channel_id", -1),
    ] {
        assert_eq!(body[field], value, "{field}");
    }
    require(
        &body,
        "realm_name realm_description realm_url realm_uri realm_uuid realm_icon_url \
         realm_icon_source realm_logo_url realm_logo_source realm_bot_domain \
         realm_default_language realm_date_created realm_org_type realm_video_chat_provider \
         realm_topics_policy realm_mandatory_topics realm_empty_topic_display_name \
         realm_message_edit_history_visibility_policy realm_allow_edit_history \
         realm_allow_message_editing realm_enable_spectator_access realm_enable_read_receipts \
         realm_presence_disabled realm_email_auth_enabled realm_password_auth_enabled \
         realm_push_notifications_enabled realm_wildcard_mention_policy \
         realm_authentication_methods realm_available_video_chat_providers \
         realm_default_external_accounts server_generation server_thumbnail_formats \
         server_supported_permission_settings server_emoji_data_url server_needs_upgrade \
         development_environment password_min_length password_max_length password_min_guesses",
    );
    assert_eq!(body["realm_url"], body["realm_uri"]);
    assert_eq!(body["realm_empty_topic_display_name"], "general chat");
    assert_eq!(body["realm_uuid"].as_str().unwrap().len(), 36);
    for limit in [
        "realm_message_content_edit_limit_seconds",
        "realm_message_content_delete_limit_seconds",
        "realm_move_messages_within_stream_limit_seconds",
        "realm_move_messages_between_streams_limit_seconds",
        "realm_upload_quota_mib",
    ] {
        let value = body.get(limit).unwrap_or_else(|| panic!("{limit}"));
        assert!(
            value.is_null() || value.as_i64().is_some_and(|number| number > 0),
            "{limit}: {value}"
        );
    }
}

/// Permissions of the organization are values of groups that exist.
#[test]
fn realm_permissions_are_group_setting_values() {
    let user = server().user("member");
    let body = section(&user, "realm realm_user_groups");
    let groups = body["realm_user_groups"].as_array().unwrap();
    let name_of = |id: &Value| {
        let group = groups.iter().find(|group| &group["id"] == id);
        group.unwrap_or_else(|| panic!("no group {id}"))["name"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    for (setting, group) in [
        ("realm_create_multiuse_invite_group", "role:administrators"),
        ("realm_can_access_all_users_group", "role:everyone"),
        ("realm_can_add_subscribers_group", "role:members"),
        ("realm_can_add_custom_emoji_group", "role:members"),
        ("realm_can_create_bots_group", "role:members"),
        ("realm_can_create_write_only_bots_group", "role:members"),
        ("realm_can_create_groups", "role:members"),
        ("realm_can_create_public_channel_group", "role:members"),
        ("realm_can_create_private_channel_group", "role:members"),
        ("realm_can_create_web_public_channel_group", "role:owners"),
        ("realm_can_delete_any_message_group", "role:administrators"),
        ("realm_can_delete_own_message_group", "role:everyone"),
        ("realm_can_invite_users_group", "role:members"),
        ("realm_can_manage_all_groups", "role:owners"),
        ("realm_can_mention_many_users_group", "role:administrators"),
        (
            "realm_can_move_messages_between_channels_group",
            "role:members",
        ),
        (
            "realm_can_move_messages_between_topics_group",
            "role:everyone",
        ),
        ("realm_can_resolve_topics_group", "role:everyone"),
        (
            "realm_can_set_delete_message_policy_group",
            "role:moderators",
        ),
        ("realm_can_set_topics_policy_group", "role:members"),
        ("realm_direct_message_initiator_group", "role:everyone"),
        ("realm_direct_message_permission_group", "role:everyone"),
    ] {
        assert!(body[setting].is_i64(), "{setting}: {}", body[setting]);
        assert_eq!(name_of(&body[setting]), group, "{setting}");
    }
    let supported = &body["server_supported_permission_settings"];
    assert_eq!(keys(supported), ["group", "realm", "stream"]);
    let mention = &supported["group"]["can_mention_group"];
    assert_eq!(
        keys(mention),
        [
            "allow_everyone_group",
            "allow_internet_group",
            "allow_nobody_group",
            "allowed_system_groups",
            "default_for_system_groups",
            "default_group_name",
            "require_system_group",
        ]
    );
    assert_eq!(mention["allow_internet_group"], false);
}

/// Go decodes groups strictly: these fields and no others.
#[test]
fn system_groups_are_nested_and_have_the_known_fields() {
    let owner = server().user("owner");
    let guest = server().user("guest");
    let body = section(&owner, "realm_user_groups");
    let groups = body["realm_user_groups"].as_array().unwrap();
    let mut last = 0;
    for group in groups {
        assert_eq!(
            keys(group),
            [
                "can_add_members_group",
                "can_join_group",
                "can_leave_group",
                "can_manage_group",
                "can_mention_group",
                "can_remove_members_group",
                "creator_id",
                "date_created",
                "deactivated",
                "description",
                "direct_subgroup_ids",
                "id",
                "is_system_group",
                "members",
                "name",
            ]
        );
        let id = group["id"].as_i64().unwrap();
        assert!(id > last, "sorted by id");
        last = id;
    }
    let find = |name: &str| {
        let group = groups.iter().find(|group| group["name"] == name);
        group.unwrap_or_else(|| panic!("no {name}"))
    };
    let nested = |outer: &str, inner: &str| {
        let subgroups = find(outer)["direct_subgroup_ids"].as_array().unwrap();
        assert!(subgroups.contains(&find(inner)["id"]), "{inner} in {outer}");
    };
    nested("role:administrators", "role:owners");
    nested("role:moderators", "role:administrators");
    nested("role:fullmembers", "role:moderators");
    nested("role:members", "role:fullmembers");
    nested("role:everyone", "role:members");
    nested("role:internet", "role:everyone");
    let holds = |name: &str, id: i64| {
        find(name)["members"]
            .as_array()
            .unwrap()
            .contains(&json!(id))
    };
    assert!(holds("role:owners", owner.user_id));
    assert!(
        !holds("role:administrators", owner.user_id),
        "only users of exactly that role"
    );
    assert!(holds("role:everyone", guest.user_id));
    assert!(
        find("role:nobody")["members"]
            .as_array()
            .unwrap()
            .is_empty()
    );
    for group in groups
        .iter()
        .filter(|group| group["is_system_group"] == true)
    {
        assert!(
            group["name"].as_str().unwrap().starts_with("role:"),
            "{group}"
        );
    }
}

#[test]
fn user_settings_have_all_known_keys() {
    let user = server().user("member");
    let body = section(&user, "user_settings");
    let settings = &body["user_settings"];
    for name in "twenty_four_hour_time starred_message_counts display_emoji_reaction_users \
         emojiset presence_enabled web_inbox_show_channel_folders \
         web_left_sidebar_show_channel_folders web_left_sidebar_unreads_count_summary \
         allow_private_data_export automatically_follow_topics_policy \
         automatically_follow_topics_where_mentioned \
         automatically_unmute_topics_in_muted_streams_policy color_scheme default_language \
         demote_inactive_streams desktop_icon_count_display email_address_visibility \
         email_notifications_batching_period_seconds enable_desktop_notifications \
         enable_digest_emails enable_drafts_synchronization \
         enable_followed_topic_audible_notifications enable_followed_topic_desktop_notifications \
         enable_followed_topic_email_notifications enable_followed_topic_push_notifications \
         enable_followed_topic_wildcard_mentions_notify enable_login_emails \
         enable_marketing_emails enable_offline_email_notifications \
         enable_offline_push_notifications enable_online_push_notifications enable_sounds \
         enable_stream_audible_notifications enable_stream_desktop_notifications \
         enable_stream_email_notifications enable_stream_push_notifications enter_sends \
         fluid_layout_width hide_ai_features high_contrast_mode left_side_userlist \
         message_content_in_email_notifications notification_sound \
         pm_content_in_desktop_notifications realm_name_in_email_notifications_policy \
         receives_typing_notifications resolved_topic_notice_auto_read_policy \
         send_private_typing_notifications send_read_receipts send_stream_typing_notifications \
         translate_emoticons user_list_style web_animate_image_previews web_channel_default_view \
         web_escape_navigates_to_home_view web_font_size_px web_home_view web_line_height_percent \
         web_mark_read_on_scroll_policy web_navigate_to_sent_message \
         web_stream_unreads_count_display_policy web_suggest_update_timezone \
         wildcard_mentions_notify timezone emojiset_choices available_notification_sounds"
        .split_whitespace()
    {
        assert!(settings.get(name).is_some(), "{name}");
    }
    assert_eq!(settings["presence_enabled"], true);
}

#[test]
fn muted_topics_are_left_out_when_user_topic_is_asked_for() {
    let user = server().user("member");
    let body = section(&user, "muted_topics user_topic");
    assert!(body.get("muted_topics").is_none());
    assert!(body.get("user_topics").is_some());
}

#[test]
fn unread_messages_are_grouped_by_conversation() {
    let user = spindle_tests::fixture::hermit(server(), "member");
    let first = server().user("member");
    let second = server().user("member");
    let empty = section(&user, "message update_message_flags");
    assert_eq!(
        empty["unread_msgs"],
        json!({"count": 0, "pms": [], "streams": [], "huddles": [], "mentions": [],
               "old_unreads_missing": false})
    );
    let channel = spindle_tests::fixture::channel(
        server(),
        spindle_tests::fixture::ChannelKind::Public,
        &[&user, &first],
    );
    let send = |sender: &User, kind: &str, to: &str, content: &str| {
        let pairs = [
            ("type", kind),
            ("to", to),
            ("topic", "t"),
            ("content", content),
        ];
        sender.post("/messages", &pairs).ok()["id"].clone()
    };
    let direct = format!("[{}]", user.id());
    let group = format!("[{}, {}]", user.id(), second.id());
    let one = send(&first, "direct", &direct, "x");
    let two = send(&first, "direct", &direct, "y");
    let three = send(&first, "direct", &group, "z");
    let mention = format!("hello @**{}**", user.full_name);
    let four = send(&first, "channel", &channel.id(), &mention);
    let body = section(&user, "message update_message_flags");
    let unread = &body["unread_msgs"];
    assert_eq!(unread["count"], 4);
    assert_eq!(
        unread["pms"],
        json!([{"other_user_id": first.user_id, "sender_id": first.user_id,
                "unread_message_ids": [one, two]}])
    );
    let mut all = [user.user_id, first.user_id, second.user_id];
    all.sort_unstable();
    let all = format!("{},{},{}", all[0], all[1], all[2]);
    assert_eq!(
        unread["huddles"],
        json!([{"user_ids_string": all, "unread_message_ids": [three]}])
    );
    assert_eq!(
        unread["streams"],
        json!([{"stream_id": channel.stream_id, "topic": "t", "unread_message_ids": [four]}])
    );
    assert_eq!(unread["mentions"], json!([four]));
    assert_eq!(body["max_message_id"], four);
    let own = section(&first, "message update_message_flags");
    assert!(own["unread_msgs"]["count"].is_i64());
}

#[test]
fn recent_conversations_list_the_others_newest_first() {
    let user = server().user("member");
    let first = server().user("member");
    let second = server().user("member");
    let send = |to: String| {
        let pairs = [("type", "direct"), ("to", to.as_str()), ("content", "x")];
        user.post("/messages", &pairs).ok()["id"].clone()
    };
    let one = send(format!("[{}]", user.id()));
    send(format!("[{}]", first.id()));
    let three = send(format!("[{}, {}]", second.id(), first.id()));
    let four = send(format!("[{}]", first.id()));
    let body = section(&user, "recent_private_conversations");
    let mut pair = [first.user_id, second.user_id];
    pair.sort_unstable();
    assert_eq!(
        body["recent_private_conversations"],
        json!([
            {"max_message_id": four, "user_ids": [first.user_id]},
            {"max_message_id": three, "user_ids": pair},
            {"max_message_id": one, "user_ids": []},
        ])
    );
}
