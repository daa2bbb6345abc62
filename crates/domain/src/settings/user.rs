//! Settings of a user (protocol-facts 4.6); the same table gives the organization's
//! defaults for new users.

use super::{DefaultValue, Kind, Setting, boolean, integer, integer_of, text_of};

/// Emoji sets: key and the name shown to people (`emojiset_choices`).
pub const EMOJISETS: &[(&str, &str)] = &[
    ("google", "Google"),
    ("google-blob", "Google blobs"),
    ("twitter", "Twitter"),
    ("text", "Plain text"),
];

/// Values of `notification_sound` (`available_notification_sounds`).
pub const AVAILABLE_NOTIFICATION_SOUNDS: &[&str] = &["none", "ding", "zulip"];

/// Settings for which the organization has no default of its own.
pub const ONLY_PERSONAL: &[&str] = &["allow_private_data_export", "timezone"];

/// Settings that nobody changes for somebody else: they are about what others get to know, and
/// about what is sent to people.
pub const PROTECTED_FROM_OTHERS: &[&str] = &[
    "allow_private_data_export",
    "email_address_visibility",
    "enable_digest_emails",
    "enable_login_emails",
    "enable_marketing_emails",
    "presence_enabled",
    "send_private_typing_notifications",
    "send_read_receipts",
    "send_stream_typing_notifications",
];

/// Every setting of a user with its default.
pub const USER: &[Setting] = &[
    Setting {
        name: "twenty_four_hour_time",
        kind: Kind::NullableBool,
        default: DefaultValue::Null,
    },
    boolean("starred_message_counts", true),
    boolean("display_emoji_reaction_users", true),
    text_of(
        "emojiset",
        &["google", "google-blob", "twitter", "text"],
        "google",
    ),
    boolean("presence_enabled", true),
    boolean("web_inbox_show_channel_folders", true),
    boolean("web_left_sidebar_show_channel_folders", true),
    boolean("web_left_sidebar_unreads_count_summary", true),
    boolean("allow_private_data_export", false),
    integer_of("automatically_follow_topics_policy", &[1, 2, 3, 4], 3),
    boolean("automatically_follow_topics_where_mentioned", true),
    integer_of(
        "automatically_unmute_topics_in_muted_streams_policy",
        &[1, 2, 3, 4],
        2,
    ),
    integer_of("color_scheme", &[1, 2, 3], 1),
    Setting {
        name: "default_language",
        kind: Kind::Language,
        default: DefaultValue::Text("en"),
    },
    integer_of("demote_inactive_streams", &[1, 2, 3], 1),
    integer_of("desktop_icon_count_display", &[1, 2, 3, 4], 1),
    integer_of("email_address_visibility", &[1, 2, 3, 4, 5], 1),
    integer(
        "email_notifications_batching_period_seconds",
        1,
        604_800,
        120,
    ),
    boolean("enable_desktop_notifications", true),
    boolean("enable_digest_emails", true),
    boolean("enable_drafts_synchronization", true),
    boolean("enable_followed_topic_audible_notifications", true),
    boolean("enable_followed_topic_desktop_notifications", true),
    boolean("enable_followed_topic_email_notifications", true),
    boolean("enable_followed_topic_push_notifications", true),
    boolean("enable_followed_topic_wildcard_mentions_notify", true),
    boolean("enable_login_emails", true),
    boolean("enable_marketing_emails", false),
    boolean("enable_offline_email_notifications", true),
    boolean("enable_offline_push_notifications", true),
    boolean("enable_online_push_notifications", true),
    boolean("enable_sounds", true),
    boolean("enable_stream_audible_notifications", false),
    boolean("enable_stream_desktop_notifications", false),
    boolean("enable_stream_email_notifications", false),
    boolean("enable_stream_push_notifications", false),
    boolean("enter_sends", false),
    boolean("fluid_layout_width", false),
    boolean("hide_ai_features", false),
    boolean("high_contrast_mode", false),
    boolean("left_side_userlist", false),
    boolean("message_content_in_email_notifications", true),
    text_of("notification_sound", AVAILABLE_NOTIFICATION_SOUNDS, "zulip"),
    boolean("pm_content_in_desktop_notifications", true),
    integer_of("realm_name_in_email_notifications_policy", &[1, 2, 3], 1),
    boolean("receives_typing_notifications", true),
    text_of(
        "resolved_topic_notice_auto_read_policy",
        &["always", "except_followed", "never"],
        "except_followed",
    ),
    boolean("send_private_typing_notifications", true),
    boolean("send_read_receipts", true),
    boolean("send_stream_typing_notifications", true),
    Setting {
        name: "timezone",
        kind: Kind::TimeZone,
        default: DefaultValue::Text(""),
    },
    boolean("translate_emoticons", false),
    integer_of("user_list_style", &[1, 2, 3], 2),
    text_of(
        "web_animate_image_previews",
        &["always", "on_hover", "never"],
        "on_hover",
    ),
    integer_of("web_channel_default_view", &[1, 2, 3, 4], 1),
    boolean("web_escape_navigates_to_home_view", true),
    integer("web_font_size_px", 8, 48, 16),
    text_of(
        "web_home_view",
        &["inbox", "recent", "all_messages"],
        "inbox",
    ),
    integer("web_line_height_percent", 100, 300, 140),
    integer_of("web_mark_read_on_scroll_policy", &[1, 2, 3], 1),
    boolean("web_navigate_to_sent_message", true),
    integer_of("web_stream_unreads_count_display_policy", &[1, 2, 3], 2),
    boolean("web_suggest_update_timezone", true),
    boolean("wildcard_mentions_notify", true),
];
