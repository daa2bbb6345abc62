//! Every change of state, and every read that has rules.
//!
//! A change is one function in one file: it finds what it is about through an `access_*`
//! function, asks the domain's policy, changes rows, appends an audit row, says which events
//! it emits, and commits all of it at once. It gets a [`spindle_store::Db`] and the time, so
//! that components and the operator's commands share it. It must not know of HTTP, and no
//! rule may be decided outside `spindle-domain`.

mod access_channel;
mod access_message;
mod access_user;
mod actor;
mod add_subscriptions;
mod alert_words;
mod announce_restart;
mod archive_channel;
mod audience;
mod authenticate;
mod bots;
mod change_subscriptions;
mod channel_appears;
mod channel_audience;
mod channel_folders;
mod channel_sight;
mod collect_queues;
mod create_channel;
mod create_realm;
mod create_user;
mod custom_emoji;
mod deactivate_user;
mod default_channels;
mod delete_queue;
mod describe_realm;
mod description;
mod emit;
mod error;
mod fetch_api_key;
mod fetch_messages;
mod files;
mod full_members;
mod get_channel;
mod get_message;
mod get_own_user;
mod get_subscription_status;
mod get_user_status;
mod get_users;
mod group_setting;
mod guest_views;
mod linkifiers;
mod list_channels;
mod list_channels_of_user;
mod list_subscribers;
mod list_subscriptions;
mod manage_account;
mod measure_channels;
mod message_object;
mod muted_users;
mod navigation_views;
mod notifications;
mod permissions;
mod presence;
mod profile_fields;
mod profile_values;
mod push;
mod reactivate_user;
mod realm_policies;
mod register;
mod remove_subscriptions;
mod role_view;
mod rotate_key;
mod saved_snippets;
mod secrets;
mod send_message;
mod set_avatar;
mod set_permission;
mod set_realm_picture;
mod set_role;
mod set_subscription_properties;
mod set_upload_quota;
mod set_user_status;
mod settings;
mod subscriptions;
mod system_groups;
mod text;
mod update_channel;
mod update_own_profile;
mod update_realm;
mod update_user;
mod user_groups;
mod user_settings;
mod view;
mod visible_channels;
mod who_sees;

pub use actor::Actor;
pub use add_subscriptions::{
    AddSubscriptionsInput, AddedSubscriptions, ChannelRequest, add_subscriptions,
};
pub use alert_words::{add_alert_words, list_alert_words, remove_alert_words};
pub use announce_restart::announce_restart;
pub use archive_channel::archive_channel;
pub use authenticate::authenticate;
pub use bots::{
    BotDefaults, BotService, BotUpdate, CreatedBot, NewBot, bot_domain, create_bot, deactivate_bot,
    list_bots, refuse_bot_key, regenerate_bot_key, update_bot,
};
pub use change_subscriptions::change_subscriptions;
pub use channel_folders::{
    ChannelFolderChange, NewChannelFolder, create_channel_folder, list_channel_folders,
    reorder_channel_folders, update_channel_folder,
};
pub use collect_queues::collect_queues;
pub use create_channel::{ChannelProperties, NewChannelInput, Retention, create_channel};
pub use create_realm::{CreatedRealm, NewRealm, create_realm};
pub use create_user::{CreatedUser, NewAccount, create_person, create_user};
pub use custom_emoji::{
    EmojiUpload, begin_emoji, check_new_emoji, deactivate_emoji, emoji_key, finish_emoji,
    list_emoji,
};
pub use deactivate_user::{deactivate_own_user, deactivate_person, deactivate_user};
pub use default_channels::set_default_channel;
pub use delete_queue::delete_queue;
pub use describe_realm::{RealmDescription, describe_realm};
pub use error::ActionError;
pub use fetch_api_key::{FetchedKey, fetch_api_key};
pub use fetch_messages::{Anchor, FetchedMessages, Selection, Window, fetch_messages};
pub use files::{
    Attachments, FilePreview, FileUpload, Uploaded, announce_blobs, begin_upload, clean_files,
    delete_attachment, find_temporary_file, finish_upload, forget_blobs, list_attachments,
    read_file, temporary_file_path,
};
pub use full_members::promote_full_members;
pub use get_channel::{get_channel, get_channel_id};
pub use get_message::{SingleMessage, get_message};
pub use get_own_user::{OwnUser, get_own_user};
pub use get_subscription_status::get_subscription_status;
pub use get_user_status::{UserStatus, get_user_status};
pub use get_users::{UserForm, get_user, list_users};
pub use linkifiers::{
    LinkifierChange, LinkifierInput, add_linkifier, list_linkifiers, remove_linkifier,
    reorder_linkifiers, update_linkifier,
};
pub use list_channels::{ChannelFilter, list_channels};
pub use list_channels_of_user::list_channels_of_user;
pub use list_subscribers::list_subscribers;
pub use list_subscriptions::list_subscriptions;
pub use measure_channels::measure_channels;
pub use message_object::MessageForm;
pub use muted_users::{mute_user, unmute_user};
pub use navigation_views::{
    add_navigation_view, delete_navigation_view, edit_navigation_view, list_navigation_views,
};
pub use presence::{
    PresenceEntry, PresenceQuery, PresenceReport, Presences, UserPresence, get_presences,
    get_user_presence, report_presence,
};
pub use profile_fields::{
    NewProfileField, ProfileFieldUpdate, create_profile_field, delete_profile_field,
    list_profile_fields, reorder_profile_fields, update_profile_field,
};
pub use profile_values::ProfileEntry;
pub use push::{
    PushKey, PushRegistration, PushToken, TokenKind, add_push_token, register_client_device,
    register_push_device, remove_client_device, remove_push_token,
};
pub use reactivate_user::reactivate_user;
pub use register::{IncludeSubscribers, RegisterInput, Registered, register};
pub use remove_subscriptions::{
    RemoveSubscriptionsInput, RemovedSubscriptions, remove_subscriptions,
};
pub use rotate_key::{issue_key, rotate_key};
pub use saved_snippets::{
    add_saved_snippet, delete_saved_snippet, edit_saved_snippet, list_saved_snippets,
};
pub use send_message::{Destination, MessageInput, send_message};
pub use set_avatar::{
    AvatarUpload, Picture, begin_avatar, check_may_change, delete_avatar, find_avatar_path,
    find_picture, finish_avatar,
};
pub use set_permission::{SPECIAL_PERMISSIONS, set_permission};
pub use set_realm_picture::{
    RealmPictureUpload, begin_realm_picture, delete_realm_picture, finish_realm_picture,
    realm_picture_key,
};
pub use set_role::set_role;
pub use set_subscription_properties::{PropertyChange, set_subscription_properties};
pub use set_upload_quota::set_upload_quota;
pub use set_user_status::{StatusInput, set_user_status};
pub use settings::Settings;
pub use spindle_store::attachments::AttachmentRow;
pub use spindle_store::pictures::RealmPicture;
pub use text::fold;
pub use update_channel::{ChannelChange, update_channel};
pub use update_own_profile::{remove_own_profile, update_own_profile};
pub use update_realm::{RealmChange, update_realm};
pub use update_user::{UserUpdate, update_user};
pub use user_groups::{
    GroupChanges, GroupLists, NewGroup, change_group_lists, create_group, deactivate_group,
    group_members, group_subgroups, is_group_member, list_groups, update_group,
};
pub use user_settings::{
    AccountUpdate, PasswordUpdate, SettingValues, TargetUsers, update_settings,
    update_settings_of_others, update_user_settings_defaults,
};

/// What clients show for the empty topic (`realm_empty_topic_display_name`).
pub const EMPTY_TOPIC_DISPLAY_NAME: &str = "general chat";
