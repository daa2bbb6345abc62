//! The capabilities that a client declares (`client_capabilities` of register).
//!
//! The parameter and the stored registration have the same JSON form; only true values are stored.
//! Unknown names are ignored (docs/protocol/events.md#capabilities).

use serde::{Deserialize, Serialize};

macro_rules! capabilities {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {
        /// Booleans by capability; absent means false. See docs/protocol/register.md#register.
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(default)]
        pub struct Capabilities {
            $($(#[$doc])* #[serde(skip_serializing_if = "is_false")] pub $name: bool,)*
        }

        impl Capabilities {
            /// Wire names, in the order of the specification.
            pub const NAMES: &'static [&'static str] = &[$(stringify!($name)),*];
        }
    };
}

capabilities! {
    /// Notification settings of a channel may be null.
    notification_settings_null,
    /// One `delete_message` event for many messages.
    bulk_message_deletion,
    /// `avatar_url` may be missing in user objects.
    user_avatar_url_field_optional,
    /// Receives typing notifications of channels.
    stream_typing_notifications,
    /// Without effect since feature level 439.
    user_settings_object,
    /// Linkifiers in the form of URL templates are understood.
    linkifier_url_template,
    /// Users whom the caller may not see can be omitted.
    user_list_incomplete,
    /// Deactivated user groups are shown.
    include_deactivated_groups,
    /// Archived channels are shown.
    archived_channels,
    /// The empty topic is sent as the empty string.
    empty_topic_name,
    /// Presence events in the modern form.
    simplified_presence_events,
    /// Changes of single custom emoji.
    individual_emoji_changes,
    /// Answers of apps that one person sees are shown (an addition of this server).
    app_answers,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
fn is_false(value: &bool) -> bool {
    !*value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_names_are_tolerated_and_only_true_is_stored() {
        let given = r#"{"empty_topic_name":true,"user_settings_object":false,"tomorrow":true}"#;
        let capabilities: Capabilities = serde_json::from_str(given).unwrap();
        assert!(capabilities.empty_topic_name);
        assert_eq!(
            serde_json::to_string(&capabilities).unwrap(),
            r#"{"empty_topic_name":true}"#
        );
        assert_eq!(Capabilities::NAMES.len(), 13);
    }

    #[test]
    fn a_value_must_be_a_boolean() {
        let given = r#"{"empty_topic_name":1}"#;
        assert!(serde_json::from_str::<Capabilities>(given).is_err());
    }
}
