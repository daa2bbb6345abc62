//! User groups: creation, changes, deactivation and reactivation, and their members
//! (docs/protocol/user-groups.md#user-group, docs/protocol/user-groups.md#update_user_group,
//! docs/protocol/user-groups.md#update_user_group_subgroups).
//!
//! Every way to a group that a client names goes through [`access`].

pub(crate) mod access;
mod create;
mod deactivate;
mod lists;
mod membership_notices;
mod read;
mod update;

pub use create::{NewGroup, create_group};
pub use deactivate::deactivate_group;
pub use lists::{GroupLists, change_group_lists};
pub use read::{group_members, group_subgroups, is_group_member, list_groups};
pub use update::{GroupChanges, update_group};
