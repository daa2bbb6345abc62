//! Which personal setting applies where a notification setting of a subscription is null.

use spindle_domain::UserSetting;
use spindle_events::Record;

use crate::UserSettings;

/// Property of a subscription, and the user's setting that applies when it is null
/// (docs/protocol/channels.md#channel-object).
const INHERITED: [(&str, UserSetting); 5] = [
    (
        "audible_notifications",
        UserSetting::named("enable_stream_audible_notifications"),
    ),
    (
        "desktop_notifications",
        UserSetting::named("enable_stream_desktop_notifications"),
    ),
    (
        "email_notifications",
        UserSetting::named("enable_stream_email_notifications"),
    ),
    (
        "push_notifications",
        UserSetting::named("enable_stream_push_notifications"),
    ),
    (
        "wildcard_mentions_notify",
        UserSetting::named("wildcard_mentions_notify"),
    ),
];

/// The user's defaults by property of the subscription.
pub(crate) fn notification_defaults(user: &UserSettings) -> Record {
    INHERITED
        .iter()
        .map(|(property, setting)| ((*property).to_owned(), user.get(*setting)))
        .collect()
}
