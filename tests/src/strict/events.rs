//! Events as strict clients decode them: a closed set of types and operations, and of fields.

#![allow(dead_code)]

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::objects::{
    Ascending, Channel, Flag, Group, GroupSetting, IdKey, Message, MessageType, Person, Presence,
    ProfileField, ReactionType, Role, Slim, TopicLink, strict, words,
};

type Object = Map<String, Value>;

words! {
    PropagateMode: "change_one" | "change_later" | "change_all";
    AvatarSource: "G" | "U" | "J";
    TypingKind: "direct" | "stream";
}

strict! {
    Nothing {}
    NewMessage { message: Message, flags: Vec<Flag>, local_message_id: Option<String> }
    UpdateMessage {
        user_id: Option<i64>,
        rendering_only: bool,
        message_id: i64,
        message_ids: Ascending,
        flags: Vec<Flag>,
        edit_timestamp: i64,
        stream_id: Option<i64>,
        stream_name: Option<String>,
        propagate_mode: Option<PropagateMode>,
        orig_subject: Option<String>,
        new_stream_id: Option<i64>,
        subject: Option<String>,
        topic_links: Option<Vec<TopicLink>>,
        orig_content: Option<String>,
        orig_rendered_content: Option<String>,
        content: Option<String>,
        rendered_content: Option<String>,
        is_me_message: Option<bool>,
    }
    DeleteMessages {
        message_ids: Ascending,
        message_type: MessageType,
        stream_id: Option<i64>,
        topic: Option<String>,
    }
    DeleteMessage {
        message_id: i64,
        message_type: MessageType,
        stream_id: Option<i64>,
        topic: Option<String>,
    }
    Reaction {
        user_id: i64,
        message_id: i64,
        emoji_name: String,
        emoji_code: String,
        reaction_type: ReactionType,
        user: Option<Value>,
    }
    MessageDetails {
        r#type: MessageType,
        mentioned: Option<bool>,
        user_ids: Option<Ascending>,
        stream_id: Option<i64>,
        topic: Option<String>,
        unmuted_stream_msg: Option<bool>,
    }
    MessageFlags {
        operation: String,
        flag: Flag,
        messages: Ascending,
        all: bool,
        message_details: Option<BTreeMap<IdKey, MessageDetails>>,
    }
    Submessage {
        msg_type: String,
        content: String,
        message_id: i64,
        sender_id: i64,
        submessage_id: i64,
    }
    TypingPerson { user_id: i64, email: String }
    Typing {
        message_type: TypingKind,
        sender: TypingPerson,
        recipients: Option<Vec<TypingPerson>>,
        stream_id: Option<i64>,
        topic: Option<String>,
    }
    TypingEdit { sender_id: i64, message_id: i64, recipient: TypingRecipient }
    TypingRecipient {
        r#type: String,
        user_ids: Option<Ascending>,
        channel_id: Option<i64>,
        topic: Option<String>,
    }
    UserAdded { person: Person }
    UserUpdated { person: PersonChange }
    PersonChange {
        user_id: i64,
        full_name: Option<String>,
        avatar_url: Option<String>,
        avatar_url_medium: Option<String>,
        avatar_source: Option<AvatarSource>,
        avatar_version: Option<i64>,
        timezone: Option<String>,
        email: Option<String>,
        bot_owner_id: Option<i64>,
        role: Option<Role>,
        delivery_email: Option<String>,
        custom_profile_field: Option<ProfileChange>,
        new_email: Option<String>,
        is_active: Option<bool>,
        is_imported_stub: Option<bool>,
        date_joined: Option<String>,
    }
    ProfileChange { id: i64, value: Option<String>, rendered_value: Option<String> }
    UserRemoved { person: RemovedPerson }
    RemovedPerson { user_id: i64, full_name: String }
    BotAdded { bot: Bot }
    BotUpdated { bot: BotChange }
    BotDeleted { bot: UserOnly }
    UserOnly { user_id: i64 }
    Bot {
        user_id: i64,
        default_sending_stream: Option<String>,
        default_events_register_stream: Option<String>,
        default_all_public_streams: bool,
        services: Vec<Object>,
    }
    BotChange {
        user_id: i64,
        email: Option<String>,
        default_sending_stream: Option<String>,
        default_events_register_stream: Option<String>,
        default_all_public_streams: Option<bool>,
        services: Option<Vec<Object>>,
    }
    GroupAdded { group: Group }
    GroupUpdated { group_id: i64, data: GroupChange }
    GroupChange {
        name: Option<String>,
        description: Option<String>,
        deactivated: Option<bool>,
        can_add_members_group: Option<GroupSetting>,
        can_join_group: Option<GroupSetting>,
        can_leave_group: Option<GroupSetting>,
        can_manage_group: Option<GroupSetting>,
        can_mention_group: Option<GroupSetting>,
        can_remove_members_group: Option<GroupSetting>,
    }
    GroupOnly { group_id: i64 }
    GroupMembers { group_id: i64, user_ids: Ascending }
    Subgroups { group_id: i64, direct_subgroup_ids: Ascending }
    Status {
        user_id: i64,
        away: Option<bool>,
        status_text: Option<String>,
        emoji_name: Option<String>,
        emoji_code: Option<String>,
        reaction_type: Option<ReactionType>,
        scheduled_end_time: Option<i64>,
    }
    LegacyPresence {
        user_id: i64,
        email: Option<String>,
        server_timestamp: f64,
        presence: Presence,
    }
    Presences { presences: BTreeMap<IdKey, Slim> }
    Property { property: String, value: Value }
    PropertyWithLanguage { property: String, value: Value, language_name: Option<String> }
    Data { property: String, data: Object }
    RealmOnly { realm_id: i64 }
    EmojiTable { realm_emoji: BTreeMap<IdKey, Object> }
    EmojiAdded { emoji: Object }
    EmojiChanged { emoji_id: String, data: EmojiChange }
    EmojiChange { deactivated: bool }
    EmojiOnly { emoji_id: String }
    Linkifiers { realm_linkifiers: Vec<Object> }
    Playgrounds { realm_playgrounds: Vec<Object> }
    Domain { realm_domain: DomainRecord }
    DomainRecord { domain: String, allow_subdomains: bool }
    DomainOnly { domain: String }
    Exports { exports: Vec<Object> }
    ExportConsent { user_id: i64, consented: bool }
    ProfileFields { fields: Vec<ProfileField> }
    FolderAdded { channel_folder: Object }
    FolderUpdated { channel_folder_id: i64, data: Object }
    FolderOrder { order: Vec<i64> }
    Restart {
        zulip_version: String,
        zulip_merge_base: String,
        zulip_feature_level: i64,
        server_generation: i64,
    }
    Reload { immediate: bool }
    StreamsCreated { streams: Vec<Channel> }
    StreamUpdated {
        stream_id: i64,
        name: String,
        property: String,
        value: Value,
        rendered_description: Option<String>,
        history_public_to_subscribers: Option<bool>,
        is_web_public: Option<bool>,
    }
    StreamsDeleted { stream_ids: Ascending, streams: Vec<StreamOnly> }
    StreamOnly { stream_id: i64 }
    Subscribed { subscriptions: Vec<Channel> }
    Unsubscribed { subscriptions: Vec<NamedStream> }
    NamedStream { stream_id: i64, name: String }
    SubscriptionUpdated { stream_id: i64, property: String, value: Value }
    Peers { stream_ids: Ascending, user_ids: Ascending }
    DefaultStreams { default_streams: Ascending }
    DefaultStreamGroups { default_stream_groups: Vec<Object> }
    AlertWords { alert_words: Vec<String> }
    Attachment { attachment: Object, upload_space_used: i64 }
    Drafts { drafts: Vec<Object> }
    AppAnswer { message_id: i64, bot_id: i64, content: String }
    Draft { draft: Object }
    DraftOnly { draft_id: i64 }
    ScheduledMessages { scheduled_messages: Vec<Object> }
    ScheduledMessage { scheduled_message: Object }
    ScheduledOnly { scheduled_message_id: i64 }
    Reminders { reminders: Vec<Object> }
    ReminderOnly { reminder_id: i64 }
    Snippet { saved_snippet: Object }
    SnippetOnly { saved_snippet_id: i64 }
    ViewAdded { navigation_view: Object }
    ViewUpdated { fragment: String, data: Object }
    ViewOnly { fragment: String }
    UserTopic {
        stream_id: i64,
        topic_name: String,
        last_updated: i64,
        visibility_policy: i64,
    }
    MutedTopics { muted_topics: Vec<(String, String, i64)> }
    MutedUsers { muted_users: Vec<MutedUser> }
    MutedUser { id: i64, timestamp: i64 }
    OnboardingSteps { onboarding_steps: Vec<OnboardingStep> }
    OnboardingStep { r#type: String, name: String }
    VideoToken { value: bool }
}

/// Decodes one event of GET /events.
pub(super) fn check(event: &Value) -> Result<(), String> {
    let fail = |text: String| Err(format!("a strict client: {text} in {event}"));
    let Some(mut rest) = event.as_object().cloned() else {
        return fail("no object".to_owned());
    };
    if !rest.remove("id").is_some_and(|id| id.is_i64()) {
        return fail("no id".to_owned());
    }
    let (kind, op) = (rest.remove("type"), rest.remove("op"));
    let Some(kind) = kind.as_ref().and_then(Value::as_str) else {
        return fail("no type".to_owned());
    };
    let op = op.as_ref().map_or(Some(""), Value::as_str).unwrap_or("?");
    check_move(kind, &rest).or_else(fail)?;
    decode(kind, op, Value::Object(rest)).or_else(fail)
}

/// The mobile client throws on a move without its origin, and on one that moves nothing.
fn check_move(kind: &str, rest: &Object) -> Result<(), String> {
    let has = |name: &str| rest.contains_key(name);
    let moves = has("new_stream_id") || has("subject");
    let complete = has("propagate_mode") && has("orig_subject") && has("stream_id");
    let is_right = if moves {
        complete
    } else {
        !has("propagate_mode")
    };
    if kind != "update_message" || is_right {
        Ok(())
    } else {
        Err("half a move".to_owned())
    }
}

fn decode(kind: &str, op: &str, rest: Value) -> Result<(), String> {
    /// Decodes into the structure of the first row that matches.
    macro_rules! table {
        ($($kind:literal $($op:literal)|+ => $shape:ty,)*) => {
            match (kind, op) {
                $(($kind, $($op)|+) => serde_json::from_value::<$shape>(rest)
                    .map(|_| ())
                    .map_err(|error| error.to_string()),)*
                _ => Err("unknown type or operation".to_owned()),
            }
        };
    }
    if (kind, op) == ("delete_message", "") && rest.get("message_ids").is_some() {
        let decoded = serde_json::from_value::<DeleteMessages>(rest);
        return decoded.map(|_| ()).map_err(|error| error.to_string());
    }
    if (kind, op) == ("presence", "") && rest.get("presences").is_some() {
        let decoded = serde_json::from_value::<Presences>(rest);
        return decoded.map(|_| ()).map_err(|error| error.to_string());
    }
    table! {
        "heartbeat" "" => Nothing,
        "message" "" => NewMessage,
        "update_message" "" => UpdateMessage,
        "delete_message" "" => DeleteMessage,
        "app_answer" "" => AppAnswer,
        "reaction" "add" | "remove" => Reaction,
        "update_message_flags" "add" | "remove" => MessageFlags,
        "submessage" "" => Submessage,
        "typing" "start" | "stop" => Typing,
        "typing_edit_message" "start" | "stop" => TypingEdit,
        "realm_user" "add" => UserAdded,
        "realm_user" "update" => UserUpdated,
        "realm_user" "remove" => UserRemoved,
        "realm_bot" "add" => BotAdded,
        "realm_bot" "update" => BotUpdated,
        "realm_bot" "delete" => BotDeleted,
        "user_group" "add" => GroupAdded,
        "user_group" "update" => GroupUpdated,
        "user_group" "remove" => GroupOnly,
        "user_group" "add_members" | "remove_members" => GroupMembers,
        "user_group" "add_subgroups" | "remove_subgroups" => Subgroups,
        "user_status" "" => Status,
        "presence" "" => LegacyPresence,
        "realm" "update" => Property,
        "realm" "update_dict" => Data,
        "realm" "deactivated" => RealmOnly,
        "realm_emoji" "update" => EmojiTable,
        "realm_emoji" "add" => EmojiAdded,
        "realm_emoji" "update_one" | "edit" => EmojiChanged,
        "realm_emoji" "remove" => EmojiOnly,
        "realm_linkifiers" "" => Linkifiers,
        "realm_playgrounds" "" => Playgrounds,
        "realm_domains" "add" | "change" => Domain,
        "realm_domains" "remove" => DomainOnly,
        "realm_user_settings_defaults" "update" => Property,
        "realm_export" "" => Exports,
        "realm_export_consent" "" => ExportConsent,
        "custom_profile_fields" "" => ProfileFields,
        "channel_folder" "add" => FolderAdded,
        "channel_folder" "update" => FolderUpdated,
        "channel_folder" "reorder" => FolderOrder,
        "invites_changed" "" => Nothing,
        "restart" "" => Restart,
        "web_reload_client" "" => Reload,
        "stream" "create" => StreamsCreated,
        "stream" "update" => StreamUpdated,
        "stream" "delete" => StreamsDeleted,
        "subscription" "add" => Subscribed,
        "subscription" "remove" => Unsubscribed,
        "subscription" "update" => SubscriptionUpdated,
        "subscription" "peer_add" | "peer_remove" => Peers,
        "default_streams" "" => DefaultStreams,
        "default_stream_groups" "" => DefaultStreamGroups,
        "alert_words" "" => AlertWords,
        "attachment" "add" | "update" | "remove" => Attachment,
        "drafts" "add" => Drafts,
        "drafts" "update" => Draft,
        "drafts" "remove" => DraftOnly,
        "scheduled_messages" "add" => ScheduledMessages,
        "scheduled_messages" "update" => ScheduledMessage,
        "scheduled_messages" "remove" => ScheduledOnly,
        "reminders" "add" => Reminders,
        "reminders" "remove" => ReminderOnly,
        "saved_snippets" "add" | "update" => Snippet,
        "saved_snippets" "remove" => SnippetOnly,
        "navigation_view" "add" => ViewAdded,
        "navigation_view" "update" => ViewUpdated,
        "navigation_view" "remove" => ViewOnly,
        "user_settings" "update" => PropertyWithLanguage,
        "user_topic" "" => UserTopic,
        "muted_topics" "" => MutedTopics,
        "muted_users" "" => MutedUsers,
        "onboarding_steps" "" => OnboardingSteps,
        "has_zoom_token" "" => VideoToken,
        "device" "add" | "remove" | "update" => Object,
        "push_device" "" => Object,
    }
}
