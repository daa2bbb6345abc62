//! User groups: creation, changes, deactivation and reactivation, and their members
//! (docs/protocol/user-groups.md#user-group, docs/protocol/user-groups.md#update_user_group,
//! docs/protocol/user-groups.md#update_user_group_subgroups).
//!
//! Every way to a group that a client names goes through [`access`]. System groups follow
//! roles and the waiting period ([`full_members`]) and are changed by no operation.

pub(crate) mod access;
mod create;
mod deactivate;
pub(crate) mod full_members;
pub(crate) mod group_setting;
mod lists;
mod read;
pub(crate) mod system_groups;
mod tell_members;
mod update;

pub use create::{NewGroup, create_group};
pub use deactivate::deactivate_group;
pub use full_members::promote_full_members;
pub use lists::{GroupLists, change_group_lists};
pub use read::{group_members, group_subgroups, is_group_member, list_groups};
pub use update::{GroupChanges, update_group};
