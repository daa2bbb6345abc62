//! Reads groups: the list, members, and nested groups (docs/protocol/user-groups.md).

use spindle_domain::{GroupId, UserId};
use spindle_store::{Db, group_records};

use super::access::access_group;
use crate::access::access_user::access_user;
use crate::{ActionError, Actor};

/// All group records as a JSON list, by id.
pub fn list_groups(
    db: &dyn Db,
    actor: &Actor,
    include_deactivated: bool,
) -> Result<String, ActionError> {
    let realm_id = actor.realm_id;
    Ok(group_records::list(db, realm_id, include_deactivated)?)
}

/// Active members of a group as a JSON list of ids; with those of nested groups unless
/// `direct_only`.
///
/// # Errors
/// [`ActionError::Denied`] when there is no such group.
pub fn group_members(
    db: &dyn Db,
    actor: &Actor,
    group_id: GroupId,
    direct_only: bool,
) -> Result<String, ActionError> {
    let row = access_group(db, actor, group_id)?;
    Ok(group_records::members(db, row.id, direct_only)?)
}

/// Whether a user is among the members that [`group_members`] lists.
///
/// # Errors
/// [`ActionError::Denied`] when there is no such group, or no such user whom the caller may
/// see.
pub fn is_group_member(
    db: &dyn Db,
    actor: &Actor,
    group_id: GroupId,
    user_id: UserId,
    direct_only: bool,
) -> Result<bool, ActionError> {
    let row = access_group(db, actor, group_id)?;
    let user = access_user(db, actor, user_id)?;
    Ok(group_records::is_member(db, row.id, user.id, direct_only)?)
}

/// Groups nested in a group as a JSON list of ids; however deep unless `direct_only`.
///
/// # Errors
/// [`ActionError::Denied`] when there is no such group.
pub fn group_subgroups(
    db: &dyn Db,
    actor: &Actor,
    group_id: GroupId,
    direct_only: bool,
) -> Result<String, ActionError> {
    let row = access_group(db, actor, group_id)?;
    Ok(group_records::subgroups(db, row.id, direct_only)?)
}
