//! Every field of the register response with its type, by fetch type (docs/protocol/register.md,
//! docs/protocol/settings.md#user-settings, docs/protocol/users.md#user-object,
//! docs/protocol/presence.md#forms), and the fields without which known clients do not start
//! (docs/protocol/clients.md#zulip-terminal, docs/protocol/clients.md#go-zulip,
//! docs/protocol/clients.md#zulip-flutter, docs/protocol/traps.md#complete-snapshot).
//!
//! A type is one word: `bool`, `int`, `number`, `text`, `object`, `list` (of objects), `ids`,
//! `texts`, `permission`; with `?` the value may be null.

use serde_json::{Value, json};
use spindle_tests::fixture::{self, ChannelKind};
use spindle_tests::{Server, User};

use crate::support::{keys, require, server};

const ALWAYS: &str = "idle_queue_timeout_secs:int last_event_id:int msg:text queue_id:text \
    result:text service_feature_level:int zulip_feature_level:int zulip_merge_base:text \
    zulip_version:text";

/// Fetch types with the exact fields of each.
const SECTIONS: &[(&str, &str)] = &[
    ("alert_words", "alert_words:texts"),
    (
        "custom_profile_fields",
        "custom_profile_fields:list custom_profile_field_types:object",
    ),
    (
        "onboarding_steps",
        "onboarding_steps:list navigation_tour_video_url:text?",
    ),
    ("message", "max_message_id:int"),
    ("drafts", "drafts:list"),
    ("scheduled_messages", "scheduled_messages:list"),
    ("reminders", "reminders:list"),
    ("muted_topics", "muted_topics:any"),
    ("muted_users", "muted_users:list"),
    (
        "presence",
        "presences:object server_timestamp:number presence_last_update_id:int",
    ),
    (
        "realm_user_settings_defaults",
        "realm_user_settings_defaults:object",
    ),
    ("realm_domains", "realm_domains:list"),
    ("realm_emoji", "realm_emoji:object"),
    ("realm_linkifiers", "realm_linkifiers:list"),
    ("realm_filters", "realm_filters:list"),
    ("realm_playgrounds", "realm_playgrounds:list"),
    ("realm_user_groups", "realm_user_groups:list"),
    (
        "realm_user",
        "realm_users:list realm_non_active_users:list cross_realm_bots:list avatar_source:text \
         avatar_url:text? avatar_url_medium:text? can_create_streams:bool \
         can_create_public_streams:bool can_create_private_streams:bool \
         can_create_web_public_streams:bool can_invite_others_to_realm:bool is_admin:bool \
         is_owner:bool is_moderator:bool is_guest:bool user_id:int email:text \
         delivery_email:text full_name:text",
    ),
    ("realm_bot", "realm_bots:list"),
    ("realm_embedded_bots", "realm_embedded_bots:list"),
    (
        "realm_incoming_webhook_bots",
        "realm_incoming_webhook_bots:list",
    ),
    (
        "recent_private_conversations",
        "recent_private_conversations:list",
    ),
    ("navigation_views", "navigation_views:list"),
    ("saved_snippets", "saved_snippets:list"),
    (
        "subscription",
        "subscriptions:list unsubscribed:list never_subscribed:list",
    ),
    ("channel_folders", "channel_folders:list"),
    ("update_message_flags", ""),
    (
        "message update_message_flags",
        "max_message_id:int unread_msgs:object",
    ),
    ("starred_messages", "starred_messages:ids"),
    ("stream", "streams:list"),
    ("default_streams", "realm_default_streams:ids"),
    ("default_stream_groups", "realm_default_stream_groups:list"),
    ("stop_words", "stop_words:texts"),
    ("user_status", "user_status:object"),
    ("user_settings", "user_settings:object"),
    ("user_topic", "user_topics:list"),
    ("video_calls", "has_zoom_token:bool has_webex_token:bool"),
    ("giphy", "giphy_api_key:text"),
    ("tenor", "tenor_api_key:text"),
    ("klipy", "klipy_api_key:text"),
    ("device", "devices:object"),
    ("push_device", "push_devices:object"),
    ("realm_billing", "realm_billing:object"),
];

/// Fields of the fetch type `realm`.
const REALM: &[&str] = &[
    "max_message_length:int max_topic_length:int max_stream_name_length:int \
     max_stream_description_length:int max_channel_folder_name_length:int \
     max_channel_folder_description_length:int max_reminder_note_length:int \
     max_bulk_new_subscription_messages:int max_file_upload_size_mib:int \
     max_avatar_file_size_mib:int max_icon_file_size_mib:int max_logo_file_size_mib:int \
     server_presence_ping_interval_seconds:int server_presence_offline_threshold_seconds:int \
     server_typing_started_expiry_period_milliseconds:int \
     server_typing_stopped_wait_period_milliseconds:int \
     server_typing_started_wait_period_milliseconds:int \
     server_min_deactivated_realm_deletion_days:int? \
     server_max_deactivated_realm_deletion_days:int? event_queue_longpoll_timeout_seconds:int \
     password_min_length:int password_max_length:int password_min_guesses:int",
    "server_generation:int development_environment:bool server_needs_upgrade:bool \
     server_emoji_data_url:text server_thumbnail_formats:list server_inline_image_preview:bool \
     server_inline_url_embed_preview:bool server_avatar_changes_disabled:bool \
     server_name_changes_disabled:bool server_web_public_streams_enabled:bool \
     server_can_summarize_topics:bool server_jitsi_server_url:text? \
     server_report_message_types:list settings_send_digest_emails:bool \
     server_supported_permission_settings:object",
    "realm_name:text realm_description:text realm_url:text realm_uri:text realm_uuid:text \
     realm_icon_url:text realm_icon_source:text realm_logo_url:text realm_logo_source:text \
     realm_night_logo_url:text realm_night_logo_source:text realm_bot_domain:text \
     realm_default_language:text realm_default_code_block_language:text \
     realm_welcome_message_custom_text:text realm_default_avatar_source:text \
     realm_date_created:int realm_org_type:int realm_plan_type:int realm_video_chat_provider:int \
     realm_gif_rating_policy:int realm_digest_weekday:int realm_waiting_period_threshold:int \
     realm_media_preview_size:int",
    "realm_message_retention_days:int? realm_message_content_edit_limit_seconds:int? \
     realm_message_content_delete_limit_seconds:int? \
     realm_move_messages_within_stream_limit_seconds:int? \
     realm_move_messages_between_streams_limit_seconds:int? realm_upload_quota_mib:int? \
     realm_topics_policy:text realm_mandatory_topics:bool realm_empty_topic_display_name:text \
     realm_message_edit_history_visibility_policy:text realm_allow_edit_history:bool \
     realm_new_stream_announcements_stream_id:int realm_signup_announcements_stream_id:int \
     realm_zulip_update_announcements_stream_id:int realm_moderation_request_channel_id:int",
    "realm_allow_message_editing:bool realm_digest_emails_enabled:bool \
     realm_disallow_disposable_email_addresses:bool realm_email_changes_disabled:bool \
     realm_emails_restricted_to_domains:bool realm_avatar_changes_disabled:bool \
     realm_name_changes_disabled:bool realm_require_unique_names:bool realm_invite_required:bool \
     realm_inline_image_preview:bool realm_inline_url_embed_preview:bool \
     realm_message_content_allowed_in_email_notifications:bool realm_send_welcome_emails:bool \
     realm_send_channel_events_messages:bool realm_enable_spectator_access:bool \
     realm_enable_read_receipts:bool realm_enable_guest_user_indicator:bool \
     realm_enable_guest_user_dm_warning:bool realm_presence_disabled:bool \
     realm_want_advertise_in_communities_directory:bool realm_email_auth_enabled:bool \
     realm_password_auth_enabled:bool realm_push_notifications_enabled:bool \
     realm_require_e2ee_push_notifications:bool realm_owner_full_content_access:bool \
     zulip_plan_is_not_limited:bool",
    "realm_create_multiuse_invite_group:permission realm_can_access_all_users_group:permission \
     realm_can_add_subscribers_group:permission realm_can_add_custom_emoji_group:permission \
     realm_can_create_bots_group:permission realm_can_create_write_only_bots_group:permission \
     realm_can_create_groups:permission realm_can_create_public_channel_group:permission \
     realm_can_create_private_channel_group:permission realm_can_invite_users_group:permission \
     realm_can_move_messages_between_channels_group:permission \
     realm_can_create_web_public_channel_group:permission \
     realm_can_delete_any_message_group:permission realm_can_delete_own_message_group:permission \
     realm_can_manage_all_groups:permission realm_can_manage_billing_group:permission \
     realm_can_mention_many_users_group:permission \
     realm_can_move_messages_between_topics_group:permission \
     realm_can_resolve_topics_group:permission \
     realm_can_set_delete_message_policy_group:permission \
     realm_can_set_topics_policy_group:permission realm_can_summarize_topics_group:permission \
     realm_direct_message_initiator_group:permission \
     realm_direct_message_permission_group:permission realm_workplace_users_group:permission",
    "realm_create_public_stream_policy:int realm_create_private_stream_policy:int \
     realm_create_web_public_stream_policy:int realm_wildcard_mention_policy:int \
     realm_authentication_methods:object realm_available_video_chat_providers:object \
     gif_rating_policy_options:object realm_default_external_accounts:object \
     realm_jitsi_server_url:text? jitsi_server_url:text? \
     realm_push_notifications_enabled_end_timestamp:int? \
     upgrade_text_for_wide_organization_logo:text?",
];

/// Fields of the whole snapshot that the mobile client decodes; none of them may be null.
const MOBILE: &str = "queue_id:text last_event_id:int zulip_feature_level:int zulip_version:text \
    zulip_merge_base:text alert_words:texts custom_profile_fields:list max_stream_name_length:int \
    max_topic_length:int server_presence_ping_interval_seconds:int \
    server_presence_offline_threshold_seconds:int muted_users:list presences:object \
    realm_emoji:object realm_user_groups:list recent_private_conversations:list \
    subscriptions:list unread_msgs:object starred_messages:ids streams:list user_status:object \
    user_settings:object user_topics:list realm_wildcard_mention_policy:int realm_name:text \
    realm_waiting_period_threshold:int realm_allow_message_editing:bool \
    realm_enable_read_receipts:bool realm_icon_url:text realm_presence_disabled:bool \
    realm_default_external_accounts:object max_file_upload_size_mib:int \
    server_emoji_data_url:text event_queue_longpoll_timeout_seconds:int realm_users:list \
    realm_non_active_users:list cross_realm_bots:list";

fn is_of(kind: &str, value: &Value) -> bool {
    let all = |fits: fn(&Value) -> bool| value.as_array().is_some_and(|list| list.iter().all(fits));
    match kind {
        "any" => !value.is_null(),
        "bool" => value.is_boolean(),
        "int" => value.is_i64(),
        "number" => value.is_number(),
        "text" => value.is_string(),
        "object" => value.is_object(),
        "list" => all(Value::is_object),
        "ids" => all(Value::is_i64),
        "texts" => all(Value::is_string),
        "permission" => {
            value.is_i64()
                || value.is_object() && keys(value) == ["direct_members", "direct_subgroups"]
        }
        nullable => {
            let kind = nullable.strip_suffix('?').expect("a known type");
            value.is_null() || is_of(kind, value)
        }
    }
}

/// Asserts that the fields are there and of their types.
#[track_caller]
fn typed(body: &Value, fields: &str) {
    for field in fields.split_whitespace() {
        let (name, kind) = field.split_once(':').expect("a name and a type");
        let value = body
            .get(name)
            .unwrap_or_else(|| panic!("{name} is missing"));
        assert!(is_of(kind, value), "{name} is no {kind}: {value}");
    }
}

fn names(fields: &str) -> impl Iterator<Item = &str> {
    fields
        .split_whitespace()
        .map(|field| field.split(':').next().unwrap_or(field))
}

fn section(user: &User, types: &str) -> Value {
    let types = json!(types.split(' ').collect::<Vec<_>>()).to_string();
    user.post(
        "/register",
        &[("event_types", "[]"), ("fetch_event_types", &types)],
    )
    .ok()
}

/// A user with some data in every section.
fn busy_user(server: &Server) -> User {
    let user = server.user("member");
    let other = server.user("member");
    let channel = fixture::channel(server, ChannelKind::Public, &[&user, &other]);
    for (to, kind) in [
        (format!("[{}]", user.id()), "direct"),
        (channel.id(), "channel"),
    ] {
        let pairs = [
            ("type", kind),
            ("to", to.as_str()),
            ("topic", "t"),
            ("content", "x"),
        ];
        other.post("/messages", &pairs).ok();
    }
    for (path, pairs) in [
        ("/users/me/alert_words", ("alert_words", "[\"word\"]")),
        ("/users/me/status", ("status_text", "here")),
    ] {
        user.post(path, &[pairs]).ok();
    }
    let muted = format!("/users/me/muted_users/{}", server.user("member").id());
    user.post(&muted, &[]).ok();
    user.post("/users/me/presence", &[("status", "active")])
        .ok();
    user
}

#[test]
fn each_fetch_type_brings_exactly_its_fields() {
    let user = busy_user(server());
    for (types, fields) in SECTIONS {
        let body = section(&user, types);
        let mut expected: Vec<&str> = names(fields).chain(names(ALWAYS)).collect();
        expected.sort_unstable();
        assert_eq!(keys(&body), expected, "{types}");
        typed(&body, fields);
        typed(&body, ALWAYS);
    }
}

#[test]
fn the_organization_is_described_with_these_types() {
    let body = section(&server().user("member"), "realm");
    for fields in REALM {
        typed(&body, fields);
    }
}

/// Without any list of types everything comes.
#[test]
fn the_whole_snapshot_has_every_section() {
    let body = busy_user(server()).post("/register", &[]).ok();
    for (_, fields) in SECTIONS {
        typed(&body, fields);
    }
    for fields in REALM {
        typed(&body, fields);
    }
}

/// All fields that the mobile app decodes as non-null: with one of them absent, it cannot sign in.
#[test]
fn the_mobile_app_can_log_in() {
    let user = busy_user(server());
    let capabilities = json!({
        "notification_settings_null": true, "bulk_message_deletion": true,
        "user_avatar_url_field_optional": false, "stream_typing_notifications": true,
        "user_settings_object": true, "include_deactivated_groups": true,
        "empty_topic_name": true, "individual_emoji_changes": true,
    });
    let pairs = [
        ("apply_markdown", "true"),
        ("client_gravatar", "false"),
        ("slim_presence", "true"),
        ("client_capabilities", &capabilities.to_string()),
        ("idle_queue_timeout", "\"mobile\""),
    ];
    let reply = user.post("/register", &pairs);
    assert!(reply.ignored().is_empty(), "{:?}", reply.ignored());
    let body = reply.ok();
    typed(&body, MOBILE);
    typed(
        &body["unread_msgs"],
        "count:int pms:list streams:list huddles:list mentions:ids old_unreads_missing:bool",
    );
    typed(
        &body["user_settings"],
        "starred_message_counts:bool display_emoji_reaction_users:bool emojiset:text \
         presence_enabled:bool",
    );
    assert_eq!(body["event_queue_longpoll_timeout_seconds"], 90);
    for person in body["realm_users"].as_array().unwrap() {
        // client_gravatar is off.
        typed(
            person,
            "user_id:int email:text full_name:text avatar_url:text role:int",
        );
    }
    for (key, value) in body["presences"].as_object().unwrap() {
        assert!(key.parse::<i64>().is_ok(), "{key}");
        typed(value, "active_timestamp:int idle_timestamp:int");
    }
    for account in body["realm_default_external_accounts"]
        .as_object()
        .unwrap()
        .values()
    {
        typed(account, "text:text name:text hint:text url_pattern:text");
    }
}

/// All fields that the terminal client reads before its screen is shown.
#[test]
fn the_terminal_client_can_start() {
    let user = busy_user(server());
    let pairs = [
        (
            "event_types",
            "[\"message\",\"update_message\",\"reaction\",\"submessage\",\
          \"subscription\",\"typing\",\"update_message_flags\",\"user_settings\",\
          \"realm_emoji\",\"realm_user\"]",
        ),
        (
            "fetch_event_types",
            "[\"realm\",\"presence\",\"subscription\",\"message\",\
          \"starred_messages\",\"update_message_flags\",\"muted_topics\",\"realm_user\",\
          \"realm_user_groups\",\"user_settings\",\"realm_emoji\",\"custom_profile_fields\",\
          \"zulip_version\"]",
        ),
        ("narrow", "[]"),
        ("client_gravatar", "true"),
        ("apply_markdown", "true"),
        ("include_subscribers", "true"),
    ];
    let body = user.post("/register", &pairs).ok();
    typed(
        &body,
        "queue_id:text last_event_id:int max_message_id:int zulip_version:text user_id:int \
         email:text full_name:text realm_name:text realm_users:list cross_realm_bots:list \
         presences:object subscriptions:list realm_message_retention_days:int muted_topics:any \
         realm_user_groups:list unread_msgs:object realm_emoji:object user_settings:object \
         starred_messages:ids custom_profile_fields:list realm_allow_message_editing:bool \
         realm_allow_edit_history:bool realm_message_content_edit_limit_seconds:int?",
    );
    typed(
        &body["user_settings"],
        "send_private_typing_notifications:bool pm_content_in_desktop_notifications:bool \
         twenty_four_hour_time:bool?",
    );
    for subscription in body["subscriptions"].as_array().unwrap() {
        typed(
            subscription,
            "stream_id:int name:text color:text description:text invite_only:bool \
             pin_to_top:bool is_muted:bool desktop_notifications:bool message_retention_days:int? \
             subscribers:ids date_created:int history_public_to_subscribers:bool \
             stream_weekly_traffic:int? rendered_description:text stream_post_policy:int",
        );
        let has_own = |ids: &Value| ids.as_array().unwrap().contains(&json!(user.user_id));
        assert!(has_own(&subscription["subscribers"]), "{subscription}");
    }
    let people = body["realm_users"].as_array().unwrap();
    let own = people
        .iter()
        .find(|person| person["user_id"] == user.user_id);
    require(
        own.expect("the user itself"),
        "email full_name is_bot role date_joined",
    );
    // By address, since it asks for no slim presence.
    let presence = &body["presences"][user.email.as_str()];
    typed(presence, "aggregated:object website:object");
    typed(
        &presence["aggregated"],
        "client:text status:text timestamp:int",
    );
    typed(
        &presence["website"],
        "client:text status:text timestamp:int pushable:bool",
    );
    let unread = &body["unread_msgs"];
    typed(
        &unread["pms"][0],
        "sender_id:int other_user_id:int unread_message_ids:ids",
    );
    typed(
        &unread["streams"][0],
        "stream_id:int topic:text unread_message_ids:ids",
    );
}

/// Go's tests check the age of the organization and the generation of the server.
#[test]
fn times_of_the_organization_and_the_server() {
    let body = section(&server().user("member"), "realm");
    let now = spindle_tests::unix_now();
    for name in ["realm_date_created", "server_generation"] {
        let time = body[name].as_i64().unwrap();
        assert!(time > 1_600_000_000 && time <= now + 5, "{name}: {time}");
    }
}
