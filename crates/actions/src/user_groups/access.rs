//! Finds a user group that a client has named, and checks what the caller may do with it.

use spindle_domain::policy::{GroupFacts, Reason};
use spindle_domain::{GroupId, Permission, permission};
use spindle_events::kinds::ChangedGroup;
use spindle_store::group_settings::{self, Owner};
use spindle_store::groups::{self, GroupRow};
use spindle_store::{Db, id_list};

use crate::access::permissions::holds;
use crate::{ActionError, Actor};

/// A group that the caller wants to change.
pub(crate) struct ManagedGroup {
    pub(crate) row: GroupRow,
    pub(crate) facts: GroupFacts,
}

impl ManagedGroup {
    /// The group as events name it, while `deactivated` is unchanged.
    pub(super) fn changed(&self) -> ChangedGroup {
        ChangedGroup {
            id: self.row.id,
            deactivated: self.row.deactivated,
        }
    }
}

/// Finds a named group of the caller's organization, deactivated ones included.
///
/// # Errors
/// [`ActionError::Denied`] when there is none.
pub(super) fn access_group(
    db: &dyn Db,
    actor: &Actor,
    group_id: GroupId,
) -> Result<GroupRow, ActionError> {
    let found = groups::named(db, actor.realm_id, &id_list([group_id]))?;
    Ok(found.into_iter().next().ok_or(Reason::NoAccess)?)
}

/// Finds a group together with what the caller may do with it.
///
/// # Errors
/// As [`access_group`].
pub(crate) fn access_managed_group(
    db: &dyn Db,
    actor: &Actor,
    group_id: GroupId,
) -> Result<ManagedGroup, ActionError> {
    let row = access_group(db, actor, group_id)?;
    let held = group_settings::held_by(db, Owner::UserGroup(row.id), actor.member())?;
    let holds = |permission| holds(permission, &held, actor.role);
    let manages = holds(permission!(GROUP, "can_manage_group"))
        || holds_realm_permission(db, actor, permission!(REALM, "can_manage_all_groups"))?;
    let facts = GroupFacts {
        is_system_group: row.is_system_group,
        manages,
        adds: holds(permission!(GROUP, "can_add_members_group")),
        removes: holds(permission!(GROUP, "can_remove_members_group")),
        joins: holds(permission!(GROUP, "can_join_group")),
        leaves: holds(permission!(GROUP, "can_leave_group")),
    };
    Ok(ManagedGroup { row, facts })
}

/// Whether the caller holds a permission of the organization.
pub(crate) fn holds_realm_permission(
    db: &dyn Db,
    actor: &Actor,
    permission: Permission,
) -> Result<bool, ActionError> {
    let held = group_settings::held_by(db, Owner::Realm(actor.realm_id), actor.member())?;
    Ok(holds(permission, &held, actor.role))
}
