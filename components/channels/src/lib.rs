//! Channels, subscriptions and channel folders.
//!
//! Owns the operations on channels as objects and on who is subscribed to them. Messages in
//! channels belong to the component `messages`.

mod add_default_channel;
mod add_subscriptions;
mod archive_channel;
mod change_subscriptions;
mod channel_params;
mod create_channel;
mod create_channel_folder;
mod delete_topic;
mod get_channel;
mod get_channel_email_address;
mod get_channel_folders;
mod get_channel_id;
mod get_channels;
mod get_subscribers;
mod get_subscription_status;
mod get_subscriptions;
mod get_user_channels;
mod remove_default_channel;
mod remove_subscriptions;
mod reorder_channel_folders;
mod subscription_params;
mod text;
mod update_channel;
mod update_channel_folder;
mod update_subscription_settings;

use spindle_guest::Operation;

/// Every operation of this component.
pub static OPERATIONS: &[Operation] = &[
    add_default_channel::OPERATION,
    add_subscriptions::OPERATION,
    archive_channel::OPERATION,
    change_subscriptions::OPERATION,
    create_channel::OPERATION,
    create_channel_folder::OPERATION,
    delete_topic::OPERATION,
    get_channel::OPERATION,
    get_channel_email_address::OPERATION,
    get_channel_folders::OPERATION,
    get_channel_id::OPERATION,
    get_channels::OPERATION,
    get_subscribers::OPERATION,
    get_subscription_status::OPERATION,
    get_subscriptions::OPERATION,
    get_user_channels::OPERATION,
    remove_default_channel::OPERATION,
    remove_subscriptions::OPERATION,
    reorder_channel_folders::OPERATION,
    update_channel::OPERATION,
    update_channel_folder::OPERATION,
    update_subscription_settings::OPERATION,
];

spindle_guest::component!(OPERATIONS);
