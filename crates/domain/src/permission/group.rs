//! Permissions that belong to a user group (docs/protocol/permissions.md#of-groups).
//!
//! Order is the order in which PATCH /user_groups checks and applies them.

use super::{DefaultHolder, PermissionSetting};
use crate::SystemGroup;

const fn setting(name: &'static str, default_holder: DefaultHolder) -> PermissionSetting {
    PermissionSetting {
        default_for_system_groups: Some(SystemGroup::Nobody),
        ..PermissionSetting::new(name, default_holder)
    }
}

const NOBODY: DefaultHolder = DefaultHolder::System(SystemGroup::Nobody);
const EVERYONE: DefaultHolder = DefaultHolder::System(SystemGroup::Everyone);

/// The six permissions of a user group.
pub const GROUP: &[PermissionSetting] = &[
    setting("can_add_members_group", DefaultHolder::GroupCreator),
    setting("can_join_group", NOBODY),
    setting("can_leave_group", EVERYONE).everyone_allowed(),
    setting("can_manage_group", DefaultHolder::GroupCreator),
    // The specification forbids role:owners here: a group that only owners may mention is a group
    // that no one can reach.
    setting("can_mention_group", EVERYONE)
        .everyone_allowed()
        .refusing(SystemGroup::Owners),
    setting("can_remove_members_group", NOBODY),
];
