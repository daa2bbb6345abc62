//! Rules about user groups: who creates and changes them, and who adds and removes members.
//!
//! Administrators and owners have no right of their own here; what they may do they may as
//! holders of permissions (docs/protocol/user-groups.md#update_user_group,
//! docs/protocol/user-groups.md#update_user_group_subgroups).

use super::{Reason, Verdict};

/// What matters for changing a group. Permissions are those of the actor, through any group.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct GroupFacts {
    /// A system group: it follows roles, and no user changes it.
    pub is_system_group: bool,
    /// The actor holds `realm_can_manage_all_groups`, or the group's `can_manage_group`.
    pub manages: bool,
    /// The actor holds `can_add_members_group`.
    pub adds: bool,
    /// The actor holds `can_remove_members_group`.
    pub removes: bool,
    /// The actor holds `can_join_group`.
    pub joins: bool,
    /// The actor holds `can_leave_group`.
    pub leaves: bool,
}

impl GroupFacts {
    const fn allows(&self, held: bool) -> Verdict {
        Verdict::when(
            !self.is_system_group && held,
            Reason::InsufficientPermission,
        )
    }
}

/// May the actor make a group? `holds_permission`: `realm_can_create_groups`.
pub const fn may_create_group(holds_permission: bool) -> Verdict {
    Verdict::when(holds_permission, Reason::InsufficientPermission)
}

/// May the actor change name, description and permissions of a group, deactivate it and take
/// it back?
pub const fn may_manage_group(facts: &GroupFacts) -> Verdict {
    facts.allows(facts.manages)
}

/// May the actor add users or groups? `is_self`: only themselves.
pub const fn may_add_to_group(facts: &GroupFacts, is_self: bool) -> Verdict {
    facts.allows(facts.manages || facts.adds || (is_self && facts.joins))
}

/// May the actor remove users or groups? `is_self`: only themselves.
pub const fn may_remove_from_group(facts: &GroupFacts, is_self: bool) -> Verdict {
    facts.allows(facts.manages || facts.removes || (is_self && facts.leaves))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOTHING: GroupFacts = GroupFacts {
        is_system_group: false,
        manages: false,
        adds: false,
        removes: false,
        joins: false,
        leaves: false,
    };

    /// Manage; add others, oneself; remove others, oneself.
    fn allowed(facts: GroupFacts) -> [bool; 5] {
        [
            may_manage_group(&facts),
            may_add_to_group(&facts, false),
            may_add_to_group(&facts, true),
            may_remove_from_group(&facts, false),
            may_remove_from_group(&facts, true),
        ]
        .map(Verdict::is_allowed)
    }

    #[test]
    fn each_permission_opens_what_it_is_for() {
        let with = |change: fn(&mut GroupFacts)| {
            let mut facts = NOTHING;
            change(&mut facts);
            allowed(facts)
        };
        assert_eq!(allowed(NOTHING), [false; 5]);
        assert_eq!(with(|facts| facts.manages = true), [true; 5]);
        assert_eq!(
            with(|facts| facts.adds = true),
            [false, true, true, false, false]
        );
        assert_eq!(
            with(|facts| facts.removes = true),
            [false, false, false, true, true]
        );
        assert_eq!(
            with(|facts| facts.joins = true),
            [false, false, true, false, false]
        );
        assert_eq!(
            with(|facts| facts.leaves = true),
            [false, false, false, false, true]
        );
    }

    #[test]
    fn no_user_changes_system_groups() {
        let facts = GroupFacts {
            is_system_group: true,
            manages: true,
            adds: true,
            removes: true,
            joins: true,
            leaves: true,
        };
        assert_eq!(allowed(facts), [false; 5]);
    }

    #[test]
    fn making_a_group_needs_the_permission() {
        assert!(may_create_group(true).is_allowed());
        assert!(!may_create_group(false).is_allowed());
    }
}
