//! Channels, their folders and defaults, and who is subscribed. Messages are in `messages`.

mod add_subscriptions;
mod archive_channel;
mod change_subscriptions;
mod channel_folders;
mod channel_properties;
mod create_channel;
mod creation;
mod default_channels;
mod description;
mod get_channel;
mod get_subscription_status;
mod hidden_names;
mod list_channels;
mod list_channels_of_user;
mod list_subscribers;
mod list_subscriptions;
mod measure_channels;
pub(crate) mod notices;
mod remove_subscriptions;
mod set_subscription_properties;
pub(crate) mod subscriptions;
mod update_channel;

pub(crate) use add_subscriptions::may_add;
pub use add_subscriptions::{
    AddSubscriptionsInput, AddedSubscriptions, ChannelRequest, add_subscriptions,
};
pub use archive_channel::archive_channel;
pub use change_subscriptions::change_subscriptions;
pub use channel_folders::*;
pub use channel_properties::{ChannelProperties, Retention};
pub use create_channel::{NewChannelInput, create_channel};
pub use default_channels::set_default_channel;
pub use get_channel::{get_channel, get_channel_id};
pub use get_subscription_status::get_subscription_status;
pub use list_channels::{ChannelFilter, list_channels};
pub use list_channels_of_user::list_channels_of_user;
pub use list_subscribers::list_subscribers;
pub use list_subscriptions::{IncludeSubscribers, list_subscriptions};
pub use measure_channels::measure_channels;
pub use remove_subscriptions::{
    RemoveSubscriptionsInput, RemovedSubscriptions, remove_subscriptions,
};
pub use set_subscription_properties::{PropertyChange, set_subscription_properties};
pub use update_channel::{ChannelChange, update_channel};
