//! What one viewer sees of other users, in the form that the store takes.

use spindle_domain::policy::may_see_delivery_email;
use spindle_domain::{RealmId, Role, UserId, permission};
use spindle_store::Db;
use spindle_store::group_settings::{self, Owner};
use spindle_store::user_objects::Viewer;

use crate::access::permissions::holds;
use crate::{ActionError, Actor};

/// Values of `email_address_visibility`.
const VISIBILITY_LEVELS: std::ops::RangeInclusive<i64> = 1..=5;

/// What a viewer may see of others.
#[derive(Debug, Clone)]
pub(crate) struct View {
    realm_id: RealmId,
    user_id: UserId,
    levels: String,
    /// Whether they hold `can_access_all_users_group`; only guests ever lack it.
    pub(crate) sees_all_users: bool,
}

impl View {
    /// What `actor` may see; costs a statement for guests only.
    pub(crate) fn of(db: &dyn Db, actor: &Actor) -> Result<Self, ActionError> {
        let realm_id = actor.realm_id;
        Ok(Self {
            realm_id,
            user_id: actor.user_id,
            levels: visible_levels(actor.role),
            sees_all_users: sees_all_users(db, actor)?,
        })
    }

    /// The form of user objects for them; the client's wishes are set by the caller.
    pub(crate) fn viewer(&self, client_gravatar: bool, profile_data: bool) -> Viewer<'_> {
        Viewer {
            realm_id: self.realm_id,
            user_id: Some(self.user_id),
            visibility_levels: &self.levels,
            client_gravatar,
            profile_data,
            sees_all_users: self.sees_all_users,
            avatar_optional: false,
        }
    }
}

/// Whether `actor` sees every user of the organization.
pub(crate) fn sees_all_users(db: &dyn Db, actor: &Actor) -> Result<bool, ActionError> {
    if !actor.role.is_guest() {
        return Ok(true);
    }
    let held = group_settings::held_by(db, Owner::Realm(actor.realm_id), actor.member())?;
    Ok(holds(
        permission!(REALM, "can_access_all_users_group"),
        &held,
        actor.role,
    ))
}

/// JSON list of the values of `email_address_visibility` that show an address to this role.
pub(crate) fn visible_levels(role: Role) -> String {
    let levels: Vec<i64> = VISIBILITY_LEVELS
        .filter(|level| may_see_delivery_email(*level, role, false).is_allowed())
        .collect();
    spindle_store::id_list(levels)
}

/// The same for the levels that show an address to the role `to` and not to `from`.
pub(crate) fn levels_gained(from: Role, to: Role) -> String {
    let shows = |level: i64, role| may_see_delivery_email(level, role, false).is_allowed();
    let gained = VISIBILITY_LEVELS.filter(|level| shows(*level, to) && !shows(*level, from));
    spindle_store::id_list(gained)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_by_role() {
        assert_eq!(visible_levels(Role::Owner), "[1,2,3,5]");
        assert_eq!(visible_levels(Role::Moderator), "[1,2,5]");
        assert_eq!(visible_levels(Role::Guest), "[1]");
        assert_eq!(levels_gained(Role::Guest, Role::Owner), "[2,3,5]");
        assert_eq!(levels_gained(Role::Owner, Role::Guest), "[]");
    }
}
