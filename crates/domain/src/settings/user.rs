//! Settings of a user; the same table gives the organization's defaults for new users.

use super::{
    DefaultValue, Setting, ValueType, boolean, by_name, integer, integer_of, language, text_of,
    time_zone,
};

/// Emoji sets: key and the name shown to people (`emojiset_choices`).
pub const EMOJISETS: &[(&str, &str)] = &[
    ("google", "Google"),
    ("google-blob", "Google blobs"),
    ("twitter", "Twitter"),
    ("text", "Plain text"),
];

/// Values of `notification_sound` (`available_notification_sounds`).
pub const AVAILABLE_NOTIFICATION_SOUNDS: &[&str] = &["none", "ding", "zulip"];

/// Every setting of a user.
///
/// A new one is a row here. It is stored, sent by POST /register, changed by PATCH /settings and PATCH
/// /realm/user_settings_defaults, exported, imported and described in the OpenAPI document by that.
pub const USER: &[Setting] = &[
    Setting {
        name: "twenty_four_hour_time",
        kind: ValueType::NullableBool,
        default: DefaultValue::Null,
        ..Setting::NEW
    },
    boolean("starred_message_counts", true),
    boolean("display_emoji_reaction_users", true).since(125),
    text_of(
        "emojiset",
        &["google", "google-blob", "twitter", "text"],
        "google",
    ),
    boolean("presence_enabled", true).protected(),
    boolean("web_inbox_show_channel_folders", true).since(431),
    boolean("web_left_sidebar_show_channel_folders", true).since(411),
    boolean("web_left_sidebar_unreads_count_summary", true).since(398),
    boolean("allow_private_data_export", false)
        .since(293)
        .personal()
        .protected(),
    integer_of("automatically_follow_topics_policy", &[1, 2, 3, 4], 3).since(214),
    boolean("automatically_follow_topics_where_mentioned", true).since(235),
    integer_of(
        "automatically_unmute_topics_in_muted_streams_policy",
        &[1, 2, 3, 4],
        2,
    )
    .since(214),
    integer_of("color_scheme", &[1, 2, 3], 1),
    language("default_language", "en"),
    integer_of("demote_inactive_streams", &[1, 2, 3], 1),
    integer_of("desktop_icon_count_display", &[1, 2, 3, 4], 1),
    integer_of("email_address_visibility", &[1, 2, 3, 4, 5], 1)
        .since(163)
        .protected(),
    integer(
        "email_notifications_batching_period_seconds",
        1,
        604_800,
        120,
    ),
    boolean("enable_desktop_notifications", true),
    boolean("enable_digest_emails", true).protected(),
    boolean("enable_drafts_synchronization", true),
    boolean("enable_followed_topic_audible_notifications", true).since(189),
    boolean("enable_followed_topic_desktop_notifications", true).since(189),
    boolean("enable_followed_topic_email_notifications", true).since(189),
    boolean("enable_followed_topic_push_notifications", true).since(189),
    boolean("enable_followed_topic_wildcard_mentions_notify", true).since(189),
    boolean("enable_login_emails", true).protected(),
    boolean("enable_marketing_emails", false).protected(),
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
    boolean("hide_ai_features", false).since(350),
    boolean("high_contrast_mode", false),
    boolean("left_side_userlist", false),
    boolean("message_content_in_email_notifications", true),
    text_of("notification_sound", AVAILABLE_NOTIFICATION_SOUNDS, "zulip"),
    boolean("pm_content_in_desktop_notifications", true),
    integer_of("realm_name_in_email_notifications_policy", &[1, 2, 3], 1).since(168),
    boolean("receives_typing_notifications", true).since(253),
    text_of(
        "resolved_topic_notice_auto_read_policy",
        &["always", "except_followed", "never"],
        "except_followed",
    )
    .since(385),
    boolean("send_private_typing_notifications", true)
        .since(105)
        .protected(),
    boolean("send_read_receipts", true).since(105).protected(),
    boolean("send_stream_typing_notifications", true)
        .since(105)
        .protected(),
    time_zone("timezone")
        .about("Name of the IANA database, or empty")
        .personal(),
    boolean("translate_emoticons", false),
    integer_of("user_list_style", &[1, 2, 3], 2).since(141),
    text_of(
        "web_animate_image_previews",
        &["always", "on_hover", "never"],
        "on_hover",
    )
    .since(275),
    integer_of("web_channel_default_view", &[1, 2, 3, 4], 1).since(269),
    boolean("web_escape_navigates_to_home_view", true).since(219),
    integer("web_font_size_px", 8, 48, 16).since(245),
    text_of(
        "web_home_view",
        &["inbox", "recent", "all_messages"],
        "inbox",
    )
    .since(219),
    integer("web_line_height_percent", 100, 300, 140).since(245),
    integer_of("web_mark_read_on_scroll_policy", &[1, 2, 3], 1).since(175),
    boolean("web_navigate_to_sent_message", true).since(268),
    integer_of("web_stream_unreads_count_display_policy", &[1, 2, 3], 2).since(210),
    boolean("web_suggest_update_timezone", true).since(329),
    boolean("wildcard_mentions_notify", true),
];

/// The settings for which the organization has a default of its own.
pub fn with_default() -> impl Iterator<Item = &'static Setting> {
    USER.iter().filter(|setting| !setting.is_personal)
}

/// Whether the organization has no default of its own for the setting with this name.
pub fn is_personal(name: &str) -> bool {
    by_name(USER, name).is_some_and(|setting| setting.is_personal)
}
