//! One file for each wire type: the constructors of its events and, where old clients need another form,
//! the conversion. Field lists: docs/protocol/events.md#payloads.
//!
//! A conversion may drop or split an event, but must depend only on the stored row and on the properties
//! that the kind declares in `traits`.

mod alert_words;
mod app_answer;
mod attachment;
mod channel_folder;
mod custom_profile_fields;
mod default_streams;
mod delete_message;
mod device;
mod drafts;
mod heartbeat;
mod invites_changed;
mod message;
mod muted_users;
mod navigation_view;
mod presence;
mod reaction;
mod realm;
mod realm_bot;
mod realm_domains;
mod realm_emoji;
mod realm_export;
mod realm_linkifiers;
mod realm_playgrounds;
mod realm_user;
mod realm_user_settings_defaults;
mod restart;
mod saved_snippets;
mod scheduled_messages;
mod stream;
mod submessage;
mod subscription;
mod typing;
mod update_message;
mod update_message_flags;
mod user_group;
mod user_settings;
mod user_status;
mod user_topic;

pub use alert_words::alert_words;
pub use app_answer::app_answer;
pub use attachment::{attachment_add, attachment_remove, attachment_update};
pub use channel_folder::{channel_folder_add, channel_folder_reorder, channel_folder_update};
pub use custom_profile_fields::custom_profile_fields;
pub use default_streams::default_streams;
pub use delete_message::{DeletedFrom, delete_message};
pub use device::{device_add, device_remove, device_update, push_device};
pub use drafts::{drafts_add, drafts_remove, drafts_update};
pub(crate) use heartbeat::HEARTBEAT;
pub use heartbeat::heartbeat;
pub use invites_changed::invites_changed;
pub use message::{LocalEcho, Message, message};
pub use muted_users::muted_users;
pub use navigation_view::{navigation_view_add, navigation_view_remove, navigation_view_update};
pub use presence::{Presence, presence};
pub use reaction::{Reaction, reaction_add, reaction_remove};
pub use realm::{realm_deactivated, realm_update, realm_update_dict};
pub use realm_bot::{realm_bot_add, realm_bot_delete, realm_bot_update};
pub use realm_domains::{realm_domains_add, realm_domains_change, realm_domains_remove};
pub use realm_emoji::{realm_emoji_add, realm_emoji_deactivated};
pub use realm_export::{realm_export, realm_export_consent};
pub use realm_linkifiers::realm_linkifiers;
pub use realm_playgrounds::realm_playgrounds;
pub use realm_user::{
    UserChange, realm_user_add, realm_user_add_unknown, realm_user_remove, realm_user_update,
};
pub use realm_user_settings_defaults::realm_user_settings_defaults_update;
pub use restart::restart;
pub use saved_snippets::{saved_snippets_add, saved_snippets_remove, saved_snippets_update};
pub use scheduled_messages::{
    reminders_add, reminders_remove, scheduled_messages_add, scheduled_messages_remove,
    scheduled_messages_update,
};
pub use stream::{
    StreamChange, stream_archived, stream_create, stream_delete, stream_hidden, stream_shown,
    stream_unarchived, stream_update,
};
pub use submessage::{Submessage, submessage};
pub use subscription::{
    subscription_add, subscription_in_archived, subscription_peer_add, subscription_peer_remove,
    subscription_remove, subscription_restored, subscription_update,
};
pub use typing::{TypingTo, TypingUser, typing, typing_edit_message};
pub use update_message::{MovedTo, NewContent, UpdatedIn, UpdatedMessages, update_message};
pub use update_message_flags::{
    update_message_flags_add, update_message_flags_all_read, update_message_flags_read,
    update_message_flags_remove, update_message_flags_unread,
};
pub use user_group::{
    ChangedGroup, user_group_add, user_group_add_members, user_group_add_subgroups,
    user_group_deactivated, user_group_reactivated, user_group_remove_members,
    user_group_remove_subgroups, user_group_update,
};
pub use user_settings::user_settings_update;
pub use user_status::{StatusEmoji, UserStatusChange, user_status};
pub use user_topic::{TopicChange, muted_topics, user_topic};

use crate::event::Record;
use crate::source::Source;
use crate::traits::Traits;

/// The properties of a wire type for [`crate::accept`].
pub(crate) struct EventType {
    pub(crate) name: &'static str,
    /// Properties of a queue on which the form depends.
    pub(crate) traits: Traits,
    /// Builds the bodies that are sent; with `None` they are sent as stored.
    pub(crate) convert: Option<fn(Source<'_>) -> Vec<Record>>,
}

impl EventType {
    /// A type with a single form.
    const fn plain(name: &'static str) -> Self {
        Self {
            name,
            traits: Traits::empty(),
            convert: None,
        }
    }
}

/// The types that this server sends.
static KINDS: &[EventType] = &[
    EventType::plain("alert_words"),
    app_answer::KIND,
    EventType::plain("channel_folder"),
    EventType::plain("attachment"),
    EventType::plain("custom_profile_fields"),
    EventType::plain("default_streams"),
    delete_message::KIND,
    EventType::plain("device"),
    EventType::plain("drafts"),
    EventType::plain("invites_changed"),
    message::KIND,
    EventType::plain("muted_users"),
    EventType::plain("navigation_view"),
    presence::KIND,
    EventType::plain("push_device"),
    reaction::KIND,
    EventType::plain("realm"),
    EventType::plain("realm_bot"),
    EventType::plain("realm_domains"),
    realm_emoji::KIND,
    EventType::plain("realm_export"),
    EventType::plain("realm_export_consent"),
    realm_linkifiers::KIND,
    EventType::plain("realm_playgrounds"),
    realm_user::KIND,
    EventType::plain("realm_user_settings_defaults"),
    EventType::plain("reminders"),
    EventType::plain("restart"),
    EventType::plain("saved_snippets"),
    EventType::plain("scheduled_messages"),
    stream::KIND,
    EventType::plain("submessage"),
    subscription::KIND,
    update_message::KIND,
    update_message_flags::KIND,
    typing::KIND,
    typing::EDIT_MESSAGE,
    user_group::KIND,
    EventType::plain("user_settings"),
    EventType::plain("user_status"),
    user_topic::KIND,
    user_topic::MUTED_TOPICS,
];

/// Types of the specification that this server does not send yet. Queues may register for them, so that
/// they receive them after an upgrade.
static KNOWN: &[&str] = &[
    "default_stream_groups",
    "has_webex_token",
    "has_zoom_token",
    "heartbeat",
    "onboarding_steps",
    "web_reload_client",
];

/// Names of the specification that are aliases of other types.
static ALIASES: &[(&str, &str)] = &[
    ("peer_add", "subscription"),
    ("peer_remove", "subscription"),
    ("realm_user_groups", "user_group"),
];

pub(crate) fn kind(name: &str) -> Option<&'static EventType> {
    KINDS.iter().find(|kind| kind.name == name)
}

/// The wire type of a name in `event_types`; `None` if it is unknown.
pub(crate) fn wire_type(name: &str) -> Option<&'static str> {
    let alias = ALIASES.iter().find(|(alias, _)| *alias == name);
    alias
        .map(|(_, wire)| *wire)
        .or_else(|| kind(name).map(|kind| kind.name))
        .or_else(|| KNOWN.iter().find(|known| **known == name).copied())
}

/// Replaces an empty topic by its display name for queues without `empty_topic_name`.
pub(crate) fn name_empty_topic(source: &mut Source<'_>, path: Option<&str>, field: &str) {
    if source.has(Traits::EMPTY_TOPIC) {
        return;
    }
    let Some(name) = source.fact("empty_topic_display_name").cloned() else {
        return;
    };
    let object = match path {
        Some(path) => source
            .body
            .get_mut(path)
            .and_then(|value| value.as_object_mut()),
        None => Some(&mut source.body),
    };
    if let Some(topic) = object.and_then(|object| object.get_mut(field))
        && topic.as_str() == Some("")
    {
        *topic = name;
    }
}
