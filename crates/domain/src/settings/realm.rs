//! Settings of the organization that are not held by a group (docs/protocol/register.md#realm).
//!
//! Names are without the prefix `realm_`. Fields that are derived (dates, URLs, counts,
//! deprecated twins) are not settings and not listed.

use super::{
    DefaultValue, Setting, ValueType, boolean, by_name, integer, integer_of, language, text,
    text_of,
};
use crate::limits::{MAX_SESSION_DAYS, SESSION_DAYS};

/// The values of `second_factor_required_for`, from none to all.
pub const SECOND_FACTOR_ROLES: &[&str] = &["nobody", "administrators", "members", "everyone"];

/// Longest limit in seconds: one hundred years.
const LONGEST_LIMIT: i64 = 3_155_760_000;

const fn limit_seconds(name: &'static str, default: i64) -> Setting {
    Setting {
        name,
        kind: ValueType::NullableInteger(1, LONGEST_LIMIT),
        default: DefaultValue::Integer(default),
        about: "Null is no limit",
        ..Setting::NEW
    }
}

/// -1 switches the announcements off; anything else is a channel id.
const fn announcement_channel(name: &'static str) -> Setting {
    Setting {
        name,
        kind: ValueType::IntegerOrOff(1, i64::MAX),
        default: DefaultValue::Integer(-1),
        about: "Id of a channel; -1 is off",
        ..Setting::NEW
    }
}

/// Every plain setting of the organization with its default.
pub const REALM: &[Setting] = &[
    text("name", 40, ""),
    text("description", 1000, "").in_update_dict(),
    boolean("allow_message_editing", true).in_update_dict(),
    boolean("avatar_changes_disabled", false),
    text_of("default_avatar_source", &["G", "J"], "J"),
    text("default_code_block_language", 40, ""),
    language("default_language", "en"),
    boolean("digest_emails_enabled", false),
    integer("digest_weekday", 0, 6, 1),
    boolean("disallow_disposable_email_addresses", true).for_owners(),
    boolean("email_changes_disabled", false),
    boolean("emails_restricted_to_domains", false).for_owners(),
    boolean("enable_guest_user_dm_warning", true),
    boolean("enable_guest_user_indicator", true),
    boolean("enable_read_receipts", true),
    // Off by default: it opens web-public channels to all visitors of the web.
    boolean("enable_spectator_access", false),
    integer_of("gif_rating_policy", &[0, 1, 2, 3, 4], 2),
    boolean("inline_image_preview", true),
    boolean("inline_url_embed_preview", false),
    boolean("invite_required", true).for_owners(),
    Setting {
        name: "jitsi_server_url",
        kind: ValueType::NullableText(200),
        default: DefaultValue::Null,
        ..Setting::NEW
    },
    integer_of("media_preview_size", &[100, 150, 200], 100),
    limit_seconds("message_content_delete_limit_seconds", 600).in_update_dict(),
    limit_seconds("message_content_edit_limit_seconds", 600).in_update_dict(),
    boolean("message_content_allowed_in_email_notifications", true),
    text_of(
        "message_edit_history_visibility_policy",
        &["all", "moves", "none"],
        "all",
    )
    .in_update_dict(),
    Setting {
        name: "message_retention_days",
        kind: ValueType::IntegerOrOff(1, 36_500),
        default: DefaultValue::Integer(-1),
        about: "-1 is for ever",
        ..Setting::NEW
    }
    .for_owners(),
    announcement_channel("moderation_request_channel_id"),
    limit_seconds("move_messages_between_streams_limit_seconds", 604_800).in_update_dict(),
    limit_seconds("move_messages_within_stream_limit_seconds", 604_800).in_update_dict(),
    boolean("name_changes_disabled", false),
    announcement_channel("new_stream_announcements_stream_id"),
    integer_of(
        "org_type",
        &[0, 10, 20, 30, 35, 40, 50, 60, 70, 80, 90, 100, 1000],
        0,
    ),
    boolean("owner_full_content_access", false).for_owners(),
    boolean("presence_disabled", false),
    boolean("require_e2ee_push_notifications", false),
    boolean("require_unique_names", false),
    text_of("second_factor_required_for", SECOND_FACTOR_ROLES, "nobody")
        .about("The people who must have a second factor: administrators includes owners, members includes moderators")
        .for_owners(),
    boolean("send_channel_events_messages", true),
    boolean("send_welcome_emails", true),
    integer("session_days", 1, MAX_SESSION_DAYS, SESSION_DAYS)
        .about("Days after its last use for which a browser session lasts")
        .for_owners(),
    announcement_channel("signup_announcements_stream_id"),
    text_of(
        "topics_policy",
        &["allow_empty_topic", "disable_empty_topic"],
        "allow_empty_topic",
    )
    .in_update_dict(),
    integer_of("video_chat_provider", &[0, 1], 1),
    integer("waiting_period_threshold", 0, 36_500, 0).for_owners(),
    boolean("want_advertise_in_communities_directory", false),
    text("welcome_message_custom_text", 8000, ""),
    announcement_channel("zulip_update_announcements_stream_id"),
];

/// The event that broadcasts a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventForm {
    /// `realm` with op `update`: one property.
    Update,
    /// `realm` with op `update_dict`: several properties in one event, for historical reasons.
    UpdateDict,
}

/// Whether only owners change a setting or permission of the organization: those of joining, of signing
/// in and of retention. For everything else administrators suffice.
pub fn needs_owner(name: &str) -> bool {
    by_name(REALM, name).is_some_and(|setting| setting.needs_owner)
        || crate::permission::by_name(crate::permission::REALM, name)
            .is_some_and(|permission| permission.needs_owner)
}

/// How a change of a plain setting is broadcast; permissions always use
/// [`EventForm::UpdateDict`].
pub fn event_form(name: &str) -> EventForm {
    by_name(REALM, name).map_or(EventForm::Update, |setting| setting.event_form)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_gets_in_and_what_is_kept_is_for_owners() {
        let settings = REALM.iter().map(|setting| setting.name);
        let permissions = crate::permission::REALM.iter().map(|one| one.name);
        let mut names: Vec<&str> = settings
            .chain(permissions)
            .filter(|name| needs_owner(name))
            .collect();
        names.sort_unstable();
        assert_eq!(
            names,
            [
                "can_create_groups",
                "can_invite_users_group",
                "can_manage_all_groups",
                "create_multiuse_invite_group",
                "disallow_disposable_email_addresses",
                "emails_restricted_to_domains",
                "invite_required",
                "message_retention_days",
                "owner_full_content_access",
                "second_factor_required_for",
                "session_days",
                "waiting_period_threshold",
            ]
        );
        assert!(!needs_owner("name"));
    }

    #[test]
    fn what_is_broadcast_together() {
        let mut names: Vec<&str> = REALM
            .iter()
            .filter(|setting| event_form(setting.name) == EventForm::UpdateDict)
            .map(|setting| setting.name)
            .collect();
        names.sort_unstable();
        assert_eq!(
            names,
            [
                "allow_message_editing",
                "description",
                "message_content_delete_limit_seconds",
                "message_content_edit_limit_seconds",
                "message_edit_history_visibility_policy",
                "move_messages_between_streams_limit_seconds",
                "move_messages_within_stream_limit_seconds",
                "topics_policy",
            ]
        );
        assert_eq!(event_form("name"), EventForm::Update);
    }
}
