//! Permissions that belong to a channel (docs/protocol/channels.md#channel-object,
//! docs/protocol/permissions.md#of-channels).

use super::{DefaultHolder, PermissionSetting};
use crate::SystemGroup;

const NOBODY: DefaultHolder = DefaultHolder::System(SystemGroup::Nobody);
const EVERYONE: DefaultHolder = DefaultHolder::System(SystemGroup::Everyone);
const ADMINISTRATORS: DefaultHolder = DefaultHolder::System(SystemGroup::Administrators);

/// The permissions of a channel, in the order of the channel record.
pub const CHANNEL: &[PermissionSetting] = &[
    PermissionSetting::new("can_add_subscribers_group", NOBODY),
    PermissionSetting::new("can_remove_subscribers_group", ADMINISTRATORS).everyone_allowed(),
    PermissionSetting::new(
        "can_administer_channel_group",
        DefaultHolder::ChannelCreator,
    ),
    PermissionSetting::new("can_delete_any_message_group", NOBODY).everyone_allowed(),
    PermissionSetting::new("can_delete_own_message_group", NOBODY).everyone_allowed(),
    PermissionSetting::new("can_move_messages_out_of_channel_group", NOBODY).everyone_allowed(),
    PermissionSetting::new("can_move_messages_within_channel_group", NOBODY).everyone_allowed(),
    PermissionSetting::new("can_send_message_group", EVERYONE).everyone_allowed(),
    PermissionSetting::new("can_subscribe_group", NOBODY),
    PermissionSetting::new("can_resolve_topics_group", NOBODY).everyone_allowed(),
    PermissionSetting::new("can_create_topic_group", EVERYONE).everyone_allowed(),
];
