//! Kinds of messages of Slack, by their subtype.

/// How a message is imported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Becomes {
    Message,
    /// A `/me` message.
    Me,
    /// Nothing: Slack itself said it.
    Notice,
    /// Nothing: it was deleted.
    Deleted,
}

/// Subtypes of Slack's own notices.
const NOTICES: &[&str] = &[
    "app_conversation_join",
    "bot_add",
    "bot_disable",
    "bot_enable",
    "bot_remove",
    "canvas_access_requested",
    "channel_archive",
    "channel_canvas_updated",
    "channel_convert_to_private",
    "channel_convert_to_public",
    "channel_join",
    "channel_leave",
    "channel_name",
    "channel_posting_permissions",
    "channel_purpose",
    "channel_topic",
    "channel_unarchive",
    "ekm_access_denied",
    "group_archive",
    "group_join",
    "group_leave",
    "group_name",
    "group_purpose",
    "group_topic",
    "group_unarchive",
    "huddle_thread",
    "joiner_notification",
    "joiner_notification_for_inviter",
    "message_changed",
    "message_replied",
    "pinned_item",
    "reminder_add",
    "reminder_delete",
    "sh_room_created",
    "sh_room_shared",
    "unpinned_item",
];

/// How a message with this subtype is imported. An unknown subtype is a message, so that no text is
/// lost.
pub(super) fn of(subtype: &str) -> Becomes {
    match subtype {
        "me_message" => Becomes::Me,
        "tombstone" | "message_deleted" => Becomes::Deleted,
        other if NOTICES.contains(&other) => Becomes::Notice,
        _ => Becomes::Message,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_people_and_bots_wrote_is_kept() {
        for kept in [
            "",
            "bot_message",
            "thread_broadcast",
            "reply_broadcast",
            "file_share",
            "file_mention",
            "file_comment",
            "slackbot_response",
            "assistant_app_thread",
            "something_new",
        ] {
            assert_eq!(of(kept), Becomes::Message, "{kept}");
        }
        assert_eq!(of("me_message"), Becomes::Me);
        assert_eq!(of("tombstone"), Becomes::Deleted);
        assert!(NOTICES.is_sorted());
        for notice in NOTICES {
            assert_eq!(of(notice), Becomes::Notice, "{notice}");
        }
    }
}
