//! Permissions that belong to the organization (docs/protocol/permissions.md#of-the-organization).
//!
//! Names are without the prefix `realm_` that the register response puts before them.

use super::{DefaultHolder, PermissionSetting};
use crate::SystemGroup::{self, Administrators, Everyone, Members, Moderators, Nobody, Owners};

const fn held_by(name: &'static str, group: SystemGroup) -> PermissionSetting {
    PermissionSetting::new(name, DefaultHolder::System(group))
}

/// The permissions of the organization.
pub const REALM: &[PermissionSetting] = &[
    held_by("create_multiuse_invite_group", Administrators).for_owners(),
    held_by("can_access_all_users_group", Everyone)
        .everyone_allowed()
        .nobody_refused()
        .one_of(&[Everyone, Members]),
    held_by("can_add_subscribers_group", Members),
    held_by("can_add_custom_emoji_group", Members),
    held_by("can_create_api_keys_group", Everyone).everyone_allowed(),
    held_by("can_create_bots_group", Members),
    held_by("can_create_groups", Members).for_owners(),
    held_by("can_create_public_channel_group", Members),
    held_by("can_create_private_channel_group", Members),
    held_by("can_create_web_public_channel_group", Owners).one_of(&[
        Moderators,
        Administrators,
        Owners,
        Nobody,
    ]),
    held_by("can_create_write_only_bots_group", Members),
    held_by("can_delete_any_message_group", Administrators).everyone_allowed(),
    held_by("can_delete_own_message_group", Everyone).everyone_allowed(),
    held_by("can_invite_users_group", Members).for_owners(),
    held_by("can_manage_all_groups", Owners)
        .nobody_refused()
        .for_owners(),
    held_by("can_manage_billing_group", Administrators).nobody_refused(),
    held_by("can_mention_many_users_group", Administrators).everyone_allowed(),
    held_by("can_move_messages_between_channels_group", Members),
    held_by("can_move_messages_between_topics_group", Everyone).everyone_allowed(),
    held_by("can_resolve_topics_group", Everyone).everyone_allowed(),
    held_by("can_set_delete_message_policy_group", Moderators),
    held_by("can_set_topics_policy_group", Members),
    held_by("can_summarize_topics_group", Everyone).everyone_allowed(),
    held_by("direct_message_initiator_group", Everyone).everyone_allowed(),
    held_by("direct_message_permission_group", Everyone).everyone_allowed(),
    held_by("workplace_users_group", Members),
];
