//! Settings of the organization that are not held by a group (protocol-facts 4.4).
//!
//! Names are without the prefix `realm_`. Fields that are derived (dates, URLs, counts,
//! deprecated twins) are not settings and not listed.

use super::{DefaultValue, Kind, Setting, boolean, integer, integer_of, text, text_of};

/// Longest limit in seconds that makes sense to anybody: one hundred years.
const LONGEST_LIMIT: i64 = 3_155_760_000;

const fn limit_seconds(name: &'static str, default: i64) -> Setting {
    Setting {
        name,
        kind: Kind::NullableInteger(1, LONGEST_LIMIT),
        default: DefaultValue::Integer(default),
    }
}

/// -1 switches the announcements off; anything else is a channel id.
const fn announcement_channel(name: &'static str) -> Setting {
    integer(name, -1, i64::MAX, -1)
}

/// Every plain setting of the organization with its default.
pub const REALM: &[Setting] = &[
    text("name", 40, ""),
    text("description", 1000, ""),
    boolean("allow_message_editing", true),
    boolean("avatar_changes_disabled", false),
    text_of("default_avatar_source", &["G", "J"], "J"),
    text("default_code_block_language", 40, ""),
    text("default_language", 50, "en"),
    boolean("digest_emails_enabled", false),
    integer("digest_weekday", 0, 6, 1),
    boolean("disallow_disposable_email_addresses", true),
    boolean("email_changes_disabled", false),
    boolean("emails_restricted_to_domains", false),
    boolean("enable_guest_user_dm_warning", true),
    boolean("enable_guest_user_indicator", true),
    boolean("enable_read_receipts", true),
    // On by default: an anonymous visitor sees web-public channels only, and none is
    // web-public until somebody makes it so.
    boolean("enable_spectator_access", true),
    integer_of("gif_rating_policy", &[0, 1, 2, 3, 4], 2),
    boolean("inline_image_preview", true),
    boolean("inline_url_embed_preview", false),
    boolean("invite_required", true),
    integer_of("media_preview_size", &[100, 150, 200], 100),
    limit_seconds("message_content_delete_limit_seconds", 600),
    limit_seconds("message_content_edit_limit_seconds", 600),
    boolean("message_content_allowed_in_email_notifications", true),
    text_of(
        "message_edit_history_visibility_policy",
        &["all", "moves", "none"],
        "all",
    ),
    integer("message_retention_days", -1, 36_500, -1),
    announcement_channel("moderation_request_channel_id"),
    limit_seconds("move_messages_between_streams_limit_seconds", 604_800),
    limit_seconds("move_messages_within_stream_limit_seconds", 604_800),
    boolean("name_changes_disabled", false),
    announcement_channel("new_stream_announcements_stream_id"),
    integer_of(
        "org_type",
        &[0, 10, 20, 30, 35, 40, 50, 60, 70, 80, 90, 100, 1000],
        0,
    ),
    boolean("owner_full_content_access", false),
    boolean("presence_disabled", false),
    boolean("require_e2ee_push_notifications", false),
    boolean("require_unique_names", false),
    boolean("send_channel_events_messages", true),
    boolean("send_welcome_emails", true),
    announcement_channel("signup_announcements_stream_id"),
    text_of(
        "topics_policy",
        &["allow_empty_topic", "disable_empty_topic"],
        "allow_empty_topic",
    ),
    integer_of("video_chat_provider", &[0, 1], 1),
    integer("waiting_period_threshold", 0, 36_500, 0),
    boolean("want_advertise_in_communities_directory", false),
    text("welcome_message_custom_text", 8000, ""),
    announcement_channel("zulip_update_announcements_stream_id"),
];
