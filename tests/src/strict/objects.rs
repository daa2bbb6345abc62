//! Objects as strict clients decode them. Fields that may be absent or null are `Option`.

#![allow(dead_code)]

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

/// Structures that refuse unknown fields.
macro_rules! strict {
    ($($name:ident { $($field:ident: $kind:ty),* $(,)? })*) => {
        $(
            #[derive(Debug, serde::Deserialize)]
            #[serde(deny_unknown_fields)]
            pub(super) struct $name {
                $(pub(super) $field: $kind,)*
            }
        )*
    };
}
/// Structures that ignore unknown fields, as clients do in most objects.
macro_rules! lenient {
    ($($name:ident { $($field:ident: $kind:ty),* $(,)? })*) => {
        $(
            #[derive(Debug, serde::Deserialize)]
            pub(super) struct $name {
                $(pub(super) $field: $kind,)*
            }
        )*
    };
}
/// Enumerations of words.
macro_rules! words {
    ($($name:ident: $($word:literal)|+;)*) => {
        $(
            #[derive(Debug)]
            pub(super) struct $name;

            impl<'de> serde::Deserialize<'de> for $name {
                fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                    let word: String = serde::Deserialize::deserialize(from)?;
                    match word.as_str() {
                        $($word)|+ => Ok(Self),
                        _ => Err(serde::de::Error::custom(format!(
                            "{word:?} is no {}", stringify!($name)
                        ))),
                    }
                }
            }
        )*
    };
}
/// Enumerations of numbers.
macro_rules! numbers {
    ($($name:ident: $numbers:pat,)*) => {
        $(
            #[derive(Debug)]
            pub(super) struct $name;

            impl<'de> serde::Deserialize<'de> for $name {
                fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                    let number: i64 = serde::Deserialize::deserialize(from)?;
                    match number {
                        $numbers => Ok(Self),
                        _ => Err(serde::de::Error::custom(format!(
                            "{number} is no {}", stringify!($name)
                        ))),
                    }
                }
            }
        )*
    };
}
pub(super) use {strict, words};

words! {
    ReactionType: "unicode_emoji" | "realm_emoji" | "zulip_extra_emoji" | "service_extra_emoji" | "";
    MessageType: "stream" | "private";
    PresenceStatus: "active" | "idle";
    TopicsPolicy: "inherit" | "allow_empty_topic" | "disable_empty_topic" | "empty_topic_only";
    Flag: "read" | "starred" | "collapsed" | "mentioned" | "stream_wildcard_mentioned"
        | "topic_wildcard_mentioned" | "wildcard_mentioned" | "has_alert_word" | "historical";
    ContentType: "text/html" | "text/x-markdown";
}
numbers! {
    Role: 100 | 200 | 300 | 400 | 600,
    BotType: 1..=4,
    FieldType: 1..=8,
    PostPolicy: 1..=4,
}

/// `#rrggbb`, lower case.
#[derive(Debug)]
pub(super) struct Color;

impl<'de> Deserialize<'de> for Color {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        if text.len() == 7 && text.starts_with('#') && text.bytes().skip(1).all(is_digit) {
            Ok(Self)
        } else {
            Err(serde::de::Error::custom(format!("{text:?} is no colour")))
        }
    }
}

/// Ids, strictly ascending: the mobile client asserts it.
#[derive(Debug)]
pub(super) struct Ascending;

impl<'de> Deserialize<'de> for Ascending {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let ids = Vec::<i64>::deserialize(from)?;
        if ids.windows(2).all(|pair| pair[0] < pair[1]) {
            Ok(Self)
        } else {
            Err(serde::de::Error::custom(format!(
                "{ids:?} are not ascending"
            )))
        }
    }
}

/// A key that is an id in decimal.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct IdKey(i64);

impl<'de> Deserialize<'de> for IdKey {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        text.parse().map(Self).map_err(serde::de::Error::custom)
    }
}

/// A permission: a group, or users and groups.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum GroupSetting {
    Group(i64),
    Nameless(Nameless),
}

strict! {
    Nameless { direct_members: Ascending, direct_subgroups: Ascending }

    Channel {
        stream_id: i64,
        name: String,
        is_archived: bool,
        description: String,
        date_created: i64,
        creator_id: Option<i64>,
        invite_only: bool,
        rendered_description: String,
        is_web_public: bool,
        stream_post_policy: PostPolicy,
        message_retention_days: Option<i64>,
        history_public_to_subscribers: bool,
        topics_policy: TopicsPolicy,
        first_message_id: Option<i64>,
        folder_id: Option<i64>,
        is_recently_active: bool,
        is_announcement_only: bool,
        can_add_subscribers_group: GroupSetting,
        can_remove_subscribers_group: GroupSetting,
        can_administer_channel_group: GroupSetting,
        can_delete_any_message_group: GroupSetting,
        can_delete_own_message_group: GroupSetting,
        can_move_messages_out_of_channel_group: GroupSetting,
        can_move_messages_within_channel_group: GroupSetting,
        can_send_message_group: GroupSetting,
        can_subscribe_group: GroupSetting,
        can_resolve_topics_group: GroupSetting,
        can_create_topic_group: GroupSetting,
        subscriber_count: i64,
        stream_weekly_traffic: Option<i64>,
        is_default: Option<bool>,
        subscribers: Option<Ascending>,
        partial_subscribers: Option<Ascending>,
        desktop_notifications: Option<bool>,
        email_notifications: Option<bool>,
        push_notifications: Option<bool>,
        audible_notifications: Option<bool>,
        wildcard_mentions_notify: Option<bool>,
        pin_to_top: Option<bool>,
        is_muted: Option<bool>,
        in_home_view: Option<bool>,
        color: Option<Color>,
    }

    Group {
        id: i64,
        name: String,
        description: String,
        date_created: Option<i64>,
        creator_id: Option<i64>,
        members: Ascending,
        direct_subgroup_ids: Ascending,
        is_system_group: bool,
        can_add_members_group: GroupSetting,
        can_join_group: GroupSetting,
        can_leave_group: GroupSetting,
        can_manage_group: GroupSetting,
        can_mention_group: GroupSetting,
        can_remove_members_group: GroupSetting,
        deactivated: bool,
    }

    HistorySnapshot {
        topic: String,
        prev_topic: Option<String>,
        stream: Option<i64>,
        prev_stream: Option<i64>,
        content: String,
        rendered_content: String,
        prev_content: Option<String>,
        prev_rendered_content: Option<String>,
        user_id: Option<i64>,
        content_html_diff: Option<String>,
        timestamp: i64,
    }

    Slim { active_timestamp: Option<i64>, idle_timestamp: Option<i64> }
    ClientPresence {
        client: Option<String>,
        status: PresenceStatus,
        timestamp: i64,
        pushable: Option<bool>,
    }
    // Both forms together.
    UserPresence {
        active_timestamp: i64,
        idle_timestamp: i64,
        aggregated: ClientPresence,
        website: ClientPresence,
    }
}

/// The presence of one user: by client, or two times.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum Presence {
    Slim(Slim),
    Legacy(BTreeMap<String, ClientPresence>),
}

/// The recipients of a message.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum DisplayRecipient {
    Channel(String),
    People(Vec<Recipient>),
}

lenient! {
    Recipient { id: i64, email: String, full_name: String, is_mirror_dummy: bool }
    Reaction {
        emoji_name: String,
        emoji_code: String,
        reaction_type: ReactionType,
        user_id: i64,
    }
    Submessage {
        id: i64,
        msg_type: String,
        content: String,
        message_id: i64,
        sender_id: i64,
    }
    TopicLink { text: String, url: String }
    Message {
        id: i64,
        r#type: MessageType,
        sender_id: i64,
        sender_email: String,
        sender_full_name: String,
        sender_realm_str: String,
        content: String,
        content_type: ContentType,
        timestamp: i64,
        client: String,
        subject: String,
        topic_links: Vec<TopicLink>,
        is_me_message: bool,
        reactions: Vec<Reaction>,
        submessages: Vec<Submessage>,
        recipient_id: i64,
        display_recipient: DisplayRecipient,
        stream_id: Option<i64>,
        avatar_url: Option<String>,
        flags: Option<Vec<Flag>>,
        last_edit_timestamp: Option<i64>,
        last_moved_timestamp: Option<i64>,
        edit_history: Option<Vec<Value>>,
    }
    ProfileValue { value: String, rendered_value: Option<String> }
    Person {
        user_id: i64,
        email: String,
        full_name: String,
        delivery_email: Option<String>,
        date_joined: String,
        is_owner: bool,
        is_admin: bool,
        is_guest: bool,
        is_bot: bool,
        bot_type: Option<BotType>,
        bot_owner_id: Option<i64>,
        role: Role,
        timezone: String,
        avatar_url: Option<String>,
        avatar_version: i64,
        profile_data: Option<BTreeMap<IdKey, ProfileValue>>,
    }
    ProfileField {
        id: i64,
        name: String,
        r#type: FieldType,
        hint: String,
        field_data: String,
        order: i64,
        required: bool,
        editable_by_user: bool,
    }
    ErrorBody {
        msg: String,
        code: String,
        stream_id: Option<i64>,
        stream: Option<String>,
        queue_id: Option<String>,
        desc: Option<String>,
        var_name: Option<String>,
    }
}
