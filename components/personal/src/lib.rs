//! Users' personal data: settings, presence, mutes, drafts, snippets, views, push devices.
//!
//! Owns operations on the caller's own data, and the host's internal routes for push notifications. Of other
//! users, only their presence is accessible here.

mod add_alert_words;
mod add_apns_token;
mod add_fcm_token;
mod add_navigation_view;
mod create_drafts;
mod create_saved_snippet;
mod delete_draft;
mod delete_saved_snippet;
mod draft_params;
mod edit_draft;
mod edit_navigation_view;
mod edit_saved_snippet;
mod get_alert_words;
mod get_drafts;
mod get_navigation_views;
mod get_presence;
mod get_saved_snippets;
mod mute_topic;
mod mute_user;
mod presence_query;
mod register_client_device;
mod register_push_device;
mod remove_alert_words;
mod remove_apns_token;
mod remove_client_device;
mod remove_fcm_token;
mod remove_navigation_view;
mod send_plain_test_notification;
mod send_test_notification;
mod set_user_topic;
mod unmute_user;
mod update_presence;
mod update_settings;

use spindle_guest::Operation;

/// Every operation of this component.
pub static OPERATIONS: &[Operation] = &[
    add_alert_words::OPERATION,
    add_apns_token::OPERATION,
    add_fcm_token::OPERATION,
    add_navigation_view::OPERATION,
    create_drafts::OPERATION,
    create_saved_snippet::OPERATION,
    delete_draft::OPERATION,
    delete_saved_snippet::OPERATION,
    edit_draft::OPERATION,
    edit_navigation_view::OPERATION,
    edit_saved_snippet::OPERATION,
    get_alert_words::OPERATION,
    get_drafts::OPERATION,
    get_navigation_views::OPERATION,
    get_presence::OPERATION,
    get_saved_snippets::OPERATION,
    mute_topic::OPERATION,
    mute_user::OPERATION,
    register_client_device::OPERATION,
    register_push_device::OPERATION,
    remove_alert_words::OPERATION,
    remove_apns_token::OPERATION,
    remove_client_device::OPERATION,
    remove_fcm_token::OPERATION,
    remove_navigation_view::OPERATION,
    send_test_notification::OPERATION,
    send_plain_test_notification::OPERATION,
    set_user_topic::OPERATION,
    unmute_user::OPERATION,
    update_presence::OPERATION,
    update_settings::OPERATION,
    update_settings::OPERATION_NOTIFICATIONS,
];

spindle_guest::component!(OPERATIONS, counting attempts);
