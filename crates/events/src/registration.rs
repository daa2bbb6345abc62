//! The registration of a queue, stored as JSON in `event_queues.registration`.
//!
//! It must not change: the ids that a client has received depend on it. When a user becomes a guest, or is
//! deactivated, their queues end instead.

use serde::{Deserialize, Serialize};
use spindle_domain::UserId;

use crate::kinds;
use crate::traits::Traits;
use crate::{Capabilities, Narrow};

/// The owner and the options of one queue. See docs/protocol/register.md#register.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Registration {
    /// The queue itself; decides who receives `local_message_id`.
    pub queue_id: String,
    /// The owner.
    pub user_id: UserId,
    /// Wire types from [`resolve_event_types`]; `None` is every type, an empty list none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event_types: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Narrow::is_empty")]
    pub narrow: Narrow,
    pub capabilities: Capabilities,
    /// Message content as HTML instead of Markdown.
    pub apply_markdown: bool,
    /// The client computes gravatar addresses itself.
    pub client_gravatar: bool,
    /// Presence events contain no e-mail address.
    pub slim_presence: bool,
    /// `include_subscribers` was `true` or `partial`.
    pub include_subscribers: bool,
    /// Receives messages of all public channels, subscribed or not.
    pub all_public_streams: bool,
    /// The owner is a guest, who receives nothing of channels without a subscription.
    pub is_guest: bool,
}

impl Registration {
    /// Whether the queue receives events of this wire type.
    pub(crate) fn wants(&self, event_type: &str) -> bool {
        let Some(types) = &self.event_types else {
            return true;
        };
        let listed = |name: &str| types.iter().any(|listed| listed == name);
        // The newer event replaces the older one if a client requests both
        // (docs/protocol/register.md#snapshot).
        listed(event_type) && !(event_type == "muted_topics" && listed("user_topic"))
    }

    /// The properties that decide between forms of an event.
    pub(crate) fn traits(&self) -> Traits {
        let capabilities = &self.capabilities;
        let simplified_presence = capabilities.simplified_presence_events;
        [
            (self.apply_markdown, Traits::APPLY_MARKDOWN),
            (self.client_gravatar, Traits::CLIENT_GRAVATAR),
            (self.slim_presence, Traits::SLIM_PRESENCE),
            (self.include_subscribers, Traits::SUBSCRIBERS),
            (simplified_presence, Traits::SIMPLIFIED_PRESENCE),
            (
                capabilities.notification_settings_null,
                Traits::NOTIFICATION_NULL,
            ),
            (capabilities.bulk_message_deletion, Traits::BULK_DELETION),
            (
                capabilities.stream_typing_notifications,
                Traits::STREAM_TYPING,
            ),
            (
                capabilities.linkifier_url_template,
                Traits::LINKIFIER_TEMPLATE,
            ),
            (
                capabilities.include_deactivated_groups,
                Traits::DEACTIVATED_GROUPS,
            ),
            (capabilities.archived_channels, Traits::ARCHIVED_CHANNELS),
            (capabilities.empty_topic_name, Traits::EMPTY_TOPIC),
            (
                capabilities.individual_emoji_changes,
                Traits::INDIVIDUAL_EMOJI,
            ),
            (
                capabilities.user_list_incomplete,
                Traits::USER_LIST_INCOMPLETE,
            ),
            (capabilities.app_answers, Traits::APP_ANSWERS),
            (
                *capabilities == Capabilities::default(),
                Traits::NO_CAPABILITIES,
            ),
        ]
        .into_iter()
        .filter_map(|(holds, bit)| holds.then_some(bit))
        .collect()
    }
}

/// Resolves the names in `event_types` to sorted wire types: aliases are replaced by their type, unknown
/// names are ignored (docs/protocol/register.md#register).
pub fn resolve_event_types<S: AsRef<str>>(names: impl IntoIterator<Item = S>) -> Vec<String> {
    let mut types: Vec<String> = names
        .into_iter()
        .filter_map(|name| kinds::wire_type(name.as_ref()))
        .map(str::to_owned)
        .collect();
    types.sort_unstable();
    types.dedup();
    types
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aliases_and_unknown_names() {
        let names = ["peer_add", "message", "realm_user_groups", "nonsense"];
        assert_eq!(
            resolve_event_types(names),
            ["message", "subscription", "user_group"]
        );
        assert!(resolve_event_types(["starred_messages"]).is_empty());
    }

    #[test]
    fn stored_form_is_small_and_complete() {
        let registration = Registration {
            queue_id: "q".into(),
            user_id: UserId(7),
            event_types: Some(vec!["message".into()]),
            narrow: Narrow::parse([("channel", "Denmark"), ("is", "private")]).unwrap(),
            apply_markdown: true,
            ..Registration::default()
        };
        let json = serde_json::to_string(&registration).unwrap();
        assert!(json.contains(r#""narrow":[{"channel":"denmark"},{"is":"dm"}]"#));
        let read: Registration = serde_json::from_str(&json).unwrap();
        assert_eq!(read, registration);
    }

    #[test]
    fn an_empty_list_wants_nothing() {
        let mut registration = Registration::default();
        assert!(registration.wants("message"));
        registration.event_types = Some(vec![]);
        assert!(!registration.wants("message"));
        registration.event_types = Some(resolve_event_types(["muted_topics", "user_topic"]));
        assert!(!registration.wants("muted_topics"));
        assert!(registration.wants("user_topic"));
    }
}
