//! Which personal setting stands behind a null notification setting of a subscription.

use spindle_events::Record;

use crate::Settings;

/// Property of a subscription, and the user's setting that applies when it is null
/// (docs/protocol/channels.md#channel-object).
const INHERITED: [(&str, &str); 5] = [
    (
        "audible_notifications",
        "enable_stream_audible_notifications",
    ),
    (
        "desktop_notifications",
        "enable_stream_desktop_notifications",
    ),
    ("email_notifications", "enable_stream_email_notifications"),
    ("push_notifications", "enable_stream_push_notifications"),
    ("wildcard_mentions_notify", "wildcard_mentions_notify"),
];

/// The user's defaults by property of the subscription.
pub(crate) fn notification_defaults(user: &Settings) -> Record {
    INHERITED
        .iter()
        .map(|(property, setting)| ((*property).to_owned(), user.get(setting)))
        .collect()
}
