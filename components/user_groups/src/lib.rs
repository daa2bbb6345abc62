//! User groups: creation, changes, members, subgroups and permissions.
//!
//! Owns the operations on named groups. The domain has the permission rules, actions make the changes.

mod create_user_group;
mod deactivate_user_group;
mod get_is_user_group_member;
mod get_user_group_members;
mod get_user_group_subgroups;
mod get_user_groups;
mod update_user_group;
mod update_user_group_members;
mod update_user_group_subgroups;

use spindle_guest::Operation;

/// Every operation of this component.
pub static OPERATIONS: &[Operation] = &[
    create_user_group::OPERATION,
    deactivate_user_group::OPERATION,
    get_is_user_group_member::OPERATION,
    get_user_group_members::OPERATION,
    get_user_group_subgroups::OPERATION,
    get_user_groups::OPERATION,
    update_user_group::OPERATION,
    update_user_group_members::OPERATION,
    update_user_group_subgroups::OPERATION,
];

spindle_guest::component!(OPERATIONS);
