//! What a user keeps for themselves, and no other user may read or change.

pub(crate) mod alert_words;
mod drafts;
mod muted_users;
mod navigation_views;
mod push;
mod saved_snippets;
pub(crate) mod user_settings;
pub(crate) mod user_topics;

pub use alert_words::{add_alert_words, list_alert_words, remove_alert_words};
pub use drafts::{DraftInput, DraftKind, create_drafts, delete_draft, edit_draft, list_drafts};
pub use muted_users::{mute_user, unmute_user};
pub use navigation_views::{
    add_navigation_view, delete_navigation_view, edit_navigation_view, list_navigation_views,
};
pub use push::{
    PushKey, PushRegistration, PushToken, TokenKind, add_push_token, register_client_device,
    register_push_device, remove_client_device, remove_push_token,
};
pub use saved_snippets::{
    add_saved_snippet, delete_saved_snippet, edit_saved_snippet, list_saved_snippets,
};
pub use user_settings::{
    AccountUpdate, PasswordUpdate, SettingValues, TargetUsers, update_settings,
    update_settings_of_others, update_user_settings_defaults,
};
pub use user_topics::{TopicMute, TopicPolicyInput, mute_topic, set_user_topic};
