//! The system groups of the organization and their members.
//!
//! A user is a direct member of the group of their role (members also of the full members,
//! once they have waited); everything else follows from the nesting.

use std::collections::HashMap;

use spindle_domain::system_group::is_full_member;
use spindle_domain::{GroupId, RealmId, Role, SystemGroup, realm_setting};
use spindle_store::{Db, DbError, groups};

use crate::{ActionError, RealmSettings};

/// Ids of the system groups.
pub(crate) struct SystemGroups {
    ids: HashMap<String, GroupId>,
}

impl SystemGroups {
    /// Reads the ids.
    pub(crate) fn read(db: &dyn Db, realm_id: RealmId) -> Result<Self, DbError> {
        let groups = groups::system_groups(db, realm_id)?.into_iter();
        let ids = groups.map(|group| (group.name, group.id)).collect();
        Ok(Self { ids })
    }

    /// The id of one group.
    pub(crate) fn id(&self, group: SystemGroup) -> Result<GroupId, ActionError> {
        self.ids.get(group.name()).copied().ok_or_else(|| {
            ActionError::Internal(format!("the organization has no {}", group.name()))
        })
    }

    /// The groups that list a user as a direct member.
    pub(crate) fn of(&self, role: Role, full_member: bool) -> Result<Vec<GroupId>, ActionError> {
        SystemGroup::direct_groups_of(role, full_member)
            .iter()
            .map(|group| self.id(*group))
            .collect()
    }
}

/// Whether a user of this role who joined then is a full member at `now`.
pub(crate) fn has_waited(realm: &RealmSettings, role: Role, date_joined: i64, now: i64) -> bool {
    let threshold = realm.integer(realm_setting!("waiting_period_threshold"));
    is_full_member(role, date_joined, now, threshold)
}
