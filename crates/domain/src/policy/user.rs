//! Rules about users: who can see whom, and who administers whom.

use super::{Reason, Verdict};
use crate::Role;

/// What matters for seeing another account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SeeUserFacts {
    /// It is the actor's own account.
    pub is_self: bool,
    /// The actor holds `realm_can_access_all_users_group`.
    pub sees_all_users: bool,
    /// They share a channel or a direct conversation.
    pub shares_conversation: bool,
    /// The target is a bot; all users see bots.
    pub target_is_bot: bool,
}

/// May the actor know that this user exists, and their name? Only guests of an organization
/// that restricts `can_access_all_users_group` are ever refused.
pub const fn may_see_user(facts: &SeeUserFacts) -> Verdict {
    let allowed =
        facts.is_self || facts.sees_all_users || facts.shares_conversation || facts.target_is_bot;
    Verdict::when(allowed, Reason::NoAccess)
}

/// May a user of `role` see the real address of a user with this `email_address_visibility` (1
/// everyone, 2 members, 3 administrators, 4 no user, 5 moderators)? One's own address is always
/// visible to oneself.
pub const fn may_see_delivery_email(visibility: i64, role: Role, is_self: bool) -> Verdict {
    let allowed = is_self
        || match visibility {
            1 => true,
            2 => !role.is_guest(),
            5 => role.is_moderator(),
            3 => role.is_admin(),
            _ => false,
        };
    Verdict::when(allowed, Reason::InsufficientPermission)
}

/// What matters for changing another account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AdministerFacts {
    pub actor_role: Role,
    /// Role of the account to be changed.
    pub target_role: Role,
    /// The account is a bot that the actor owns.
    pub actor_owns_target: bool,
    /// The account is a bot. Its key, which can be regenerated, gives its role to the actor.
    pub target_is_bot: bool,
    /// The account holds a special permission, such as creating users.
    pub target_is_privileged: bool,
    /// The account is the only active human owner.
    pub target_is_last_owner: bool,
}

/// May the actor change the name or profile of this account?
/// (docs/protocol/users.md#update_user_by_email; for bot owners, the bot calls.) A bot with the
/// role of an owner is for owners and for the person that it belongs to: an administrator would
/// become an owner through its key. A bot with a special permission is for owners only.
pub const fn may_administer_user(facts: &AdministerFacts) -> Verdict {
    let acts_as_owner = facts.target_is_bot && facts.target_role.is_owner();
    let is_privileged_bot = facts.target_is_bot && facts.target_is_privileged;
    if is_privileged_bot || (acts_as_owner && !facts.actor_owns_target) {
        return Verdict::when(facts.actor_role.is_owner(), Reason::OwnerRequired);
    }
    Verdict::when(
        facts.actor_owns_target || facts.actor_role.is_admin(),
        Reason::AdministratorRequired,
    )
}

/// May the actor deactivate this account? An owner's needs an owner, and the last owner
/// stays.
pub const fn may_deactivate_user(facts: &AdministerFacts) -> Verdict {
    if let Verdict::Denied(reason) = may_administer_user(facts) {
        return Verdict::Denied(reason);
    }
    if facts.target_role.is_owner() && !facts.actor_role.is_owner() {
        return Verdict::Denied(Reason::OwnerRequired);
    }
    Verdict::when(!facts.target_is_last_owner, Reason::LastOwner)
}

/// May the actor list and end the sessions and API keys of this account? Owners only: the list shows when and with what
/// a person works.
pub const fn may_end_credentials(facts: &AdministerFacts) -> Verdict {
    Verdict::when(facts.actor_role.is_owner(), Reason::OwnerRequired)
}

/// May the actor make a link that sets a new password of this account? Who has the link may act as the
/// account, so an administrator needs a higher role than the account, and no permission of its own may
/// come with it.
pub fn may_make_password_link(facts: &AdministerFacts) -> Verdict {
    if facts.actor_role.is_owner() {
        return Verdict::Allowed;
    }
    if !facts.actor_role.is_admin() {
        return Verdict::Denied(Reason::AdministratorRequired);
    }
    let is_above = facts.actor_role < facts.target_role;
    Verdict::when(
        is_above && !facts.target_is_privileged,
        Reason::OwnerRequired,
    )
}

/// What matters for changing a role.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RoleChangeFacts {
    pub actor_role: Role,
    /// Role before.
    pub from: Role,
    /// Role after.
    pub to: Role,
    /// The account is the only active human owner.
    pub is_last_owner: bool,
}

/// May the role be changed like this? (docs/protocol/users.md#update_user_by_email.)
pub const fn may_change_role(facts: &RoleChangeFacts) -> Verdict {
    if !facts.actor_role.is_admin() {
        return Verdict::Denied(Reason::AdministratorRequired);
    }
    let touches_ownership = facts.from.is_owner() != facts.to.is_owner();
    if touches_ownership && !facts.actor_role.is_owner() {
        return Verdict::Denied(Reason::OwnerRequired);
    }
    if facts.is_last_owner && !facts.to.is_owner() {
        return Verdict::Denied(Reason::LastOwner);
    }
    let skips_steps = facts.from.is_guest() && matches!(facts.to, Role::Administrator);
    Verdict::when(!skips_steps, Reason::GuestToAdministrator)
}

/// May the actor change the address of another account? Administrators who hold the special
/// permission `can_change_user_emails` (FL 313).
pub const fn may_change_email(actor_role: Role, holds_permission: bool) -> Verdict {
    if !actor_role.is_admin() {
        return Verdict::Denied(Reason::AdministratorRequired);
    }
    Verdict::when(holds_permission, Reason::InsufficientPermission)
}

/// May the actor create accounts? Administrators who hold the special permission
/// `can_create_users`.
pub const fn may_create_users(actor_role: Role, holds_permission: bool) -> Verdict {
    if !actor_role.is_admin() {
        return Verdict::Denied(Reason::AdministratorRequired);
    }
    Verdict::when(holds_permission, Reason::InsufficientPermission)
}

/// May the actor change a value of this profile field? Some fields are changed by administrators
/// only (FL 296).
pub const fn may_edit_profile_field(actor_role: Role, editable_by_user: bool) -> Verdict {
    Verdict::when(
        editable_by_user || actor_role.is_admin(),
        Reason::InsufficientPermission,
    )
}

/// May the actor set the status of another user? (FL 407: administrators.)
pub const fn may_set_status_of(actor_role: Role, is_self: bool) -> Verdict {
    Verdict::when(
        is_self || actor_role.is_admin(),
        Reason::AdministratorRequired,
    )
}

/// May a user of this role change their own name or address, where the organization may have
/// switched that off? Administrators always may.
pub const fn may_change_own(role: Role, is_switched_off: bool) -> Verdict {
    Verdict::when(
        role.is_admin() || !is_switched_off,
        Reason::InsufficientPermission,
    )
}

/// May the actor create a bot of this type (1 generic, 2 incoming webhook, 3 outgoing webhook, 4
/// embedded)? Holders of `can_create_write_only_bots_group` create bots that only send.
pub const fn may_create_bot(
    role: Role,
    bot_type: i64,
    may_create_bots: bool,
    may_create_write_only: bool,
) -> Verdict {
    if role.is_guest() {
        return Verdict::Denied(Reason::GuestsExcluded);
    }
    let allowed = role.is_admin() || may_create_bots || (bot_type == 2 && may_create_write_only);
    Verdict::when(allowed, Reason::InsufficientPermission)
}

/// May the actor change settings of many people in one request? (FL 444: administrators.)
pub const fn may_change_settings_of_others(actor_role: Role) -> Verdict {
    Verdict::when(actor_role.is_admin(), Reason::AdministratorRequired)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_restricted_guest_sees_partners_and_bots_only() {
        let stranger = SeeUserFacts {
            is_self: false,
            sees_all_users: false,
            shares_conversation: false,
            target_is_bot: false,
        };
        assert!(!may_see_user(&stranger).is_allowed());
        assert!(
            may_see_user(&SeeUserFacts {
                is_self: true,
                ..stranger
            })
            .is_allowed()
        );
        assert!(
            may_see_user(&SeeUserFacts {
                sees_all_users: true,
                ..stranger
            })
            .is_allowed()
        );
        assert!(
            may_see_user(&SeeUserFacts {
                shares_conversation: true,
                ..stranger
            })
            .is_allowed()
        );
        assert!(
            may_see_user(&SeeUserFacts {
                target_is_bot: true,
                ..stranger
            })
            .is_allowed()
        );
    }

    #[test]
    fn the_real_address_is_shown_as_far_as_its_owner_allows() {
        // owner, administrator, moderator, member, guest
        let table = [
            (1, [true, true, true, true, true]),
            (2, [true, true, true, true, false]),
            (3, [true, true, false, false, false]),
            (4, [false, false, false, false, false]),
            (5, [true, true, true, false, false]),
        ];
        for (visibility, expected) in table {
            let found =
                Role::ALL.map(|role| may_see_delivery_email(visibility, role, false).is_allowed());
            assert_eq!(found, expected, "{visibility}");
            assert!(may_see_delivery_email(visibility, Role::Guest, true).is_allowed());
        }
    }

    #[test]
    fn administering_needs_an_administrator_and_ending_an_owner_needs_an_owner() {
        let facts = |actor_role, target_role| AdministerFacts {
            actor_role,
            target_role,
            actor_owns_target: false,
            target_is_bot: false,
            target_is_privileged: false,
            target_is_last_owner: false,
        };
        let change = |actor, target| may_administer_user(&facts(actor, target));
        let end = |actor, target| may_deactivate_user(&facts(actor, target));
        assert!(change(Role::Administrator, Role::Owner).is_allowed());
        assert_eq!(
            change(Role::Moderator, Role::Guest),
            Verdict::Denied(Reason::AdministratorRequired)
        );
        assert!(end(Role::Administrator, Role::Member).is_allowed());
        assert_eq!(
            end(Role::Administrator, Role::Owner),
            Verdict::Denied(Reason::OwnerRequired)
        );
        assert!(end(Role::Owner, Role::Owner).is_allowed());
        assert!(!end(Role::Moderator, Role::Guest).is_allowed());
        let last = AdministerFacts {
            target_is_last_owner: true,
            ..facts(Role::Owner, Role::Owner)
        };
        assert_eq!(
            may_deactivate_user(&last),
            Verdict::Denied(Reason::LastOwner)
        );
        let own_bot = AdministerFacts {
            actor_owns_target: true,
            ..facts(Role::Member, Role::Member)
        };
        assert!(may_administer_user(&own_bot).is_allowed());
        let privileged = AdministerFacts {
            target_is_bot: true,
            target_is_privileged: true,
            ..own_bot
        };
        assert_eq!(
            may_administer_user(&privileged),
            Verdict::Denied(Reason::OwnerRequired)
        );
    }

    #[test]
    fn a_password_link_is_for_accounts_of_a_lower_role() {
        // The role of the account: owner, administrator, moderator, member, guest.
        let table = [
            (Role::Owner, [true; 5]),
            (Role::Administrator, [false, false, true, true, true]),
            (Role::Moderator, [false; 5]),
            (Role::Member, [false; 5]),
            (Role::Guest, [false; 5]),
        ];
        for (actor_role, expected) in table {
            let facts = |target_role, target_is_privileged| AdministerFacts {
                actor_role,
                target_role,
                actor_owns_target: false,
                target_is_bot: false,
                target_is_privileged,
                target_is_last_owner: false,
            };
            let plain = Role::ALL.map(|role| may_make_password_link(&facts(role, false)));
            assert_eq!(plain.map(Verdict::is_allowed), expected, "{actor_role:?}");
            let privileged = Role::ALL.map(|role| may_make_password_link(&facts(role, true)));
            let for_owners = [actor_role.is_owner(); 5];
            assert_eq!(
                privileged.map(Verdict::is_allowed),
                for_owners,
                "{actor_role:?}"
            );
        }
    }

    #[test]
    fn a_bot_with_the_role_of_an_owner_is_for_owners_and_whom_it_belongs_to() {
        let change = |actor_role, target_role, actor_owns_target| {
            may_administer_user(&AdministerFacts {
                actor_role,
                target_role,
                actor_owns_target,
                target_is_bot: true,
                target_is_privileged: false,
                target_is_last_owner: false,
            })
        };
        let owners = Verdict::Denied(Reason::OwnerRequired);
        assert!(change(Role::Owner, Role::Owner, false).is_allowed());
        assert_eq!(change(Role::Administrator, Role::Owner, false), owners);
        assert_eq!(change(Role::Moderator, Role::Owner, false), owners);
        assert!(change(Role::Administrator, Role::Owner, true).is_allowed());
        assert!(change(Role::Member, Role::Owner, true).is_allowed());
        assert!(change(Role::Administrator, Role::Administrator, false).is_allowed());
        assert!(change(Role::Member, Role::Administrator, true).is_allowed());
    }

    #[test]
    fn roles_change_only_by_the_rules() {
        let change = |actor_role, from, to, is_last_owner| {
            may_change_role(&RoleChangeFacts {
                actor_role,
                from,
                to,
                is_last_owner,
            })
        };
        assert!(change(Role::Administrator, Role::Member, Role::Guest, false).is_allowed());
        assert!(change(Role::Owner, Role::Member, Role::Owner, false).is_allowed());
        for (verdict, reason) in [
            (
                change(Role::Member, Role::Guest, Role::Member, false),
                Reason::AdministratorRequired,
            ),
            (
                change(Role::Administrator, Role::Member, Role::Owner, false),
                Reason::OwnerRequired,
            ),
            (
                change(Role::Administrator, Role::Owner, Role::Member, false),
                Reason::OwnerRequired,
            ),
            (
                change(Role::Owner, Role::Owner, Role::Member, true),
                Reason::LastOwner,
            ),
            (
                change(Role::Owner, Role::Guest, Role::Administrator, false),
                Reason::GuestToAdministrator,
            ),
        ] {
            assert_eq!(verdict, Verdict::Denied(reason));
        }
    }

    #[test]
    fn special_permissions_are_for_administrators() {
        for rule in [may_change_email, may_create_users] {
            assert!(rule(Role::Owner, true).is_allowed());
            assert!(rule(Role::Administrator, true).is_allowed());
            assert_eq!(
                rule(Role::Owner, false),
                Verdict::Denied(Reason::InsufficientPermission)
            );
            assert_eq!(
                rule(Role::Moderator, true),
                Verdict::Denied(Reason::AdministratorRequired)
            );
        }
    }

    #[test]
    fn a_field_may_be_closed_to_its_owner() {
        assert!(may_edit_profile_field(Role::Guest, true).is_allowed());
        assert!(may_edit_profile_field(Role::Administrator, false).is_allowed());
        assert!(!may_edit_profile_field(Role::Moderator, false).is_allowed());
    }

    #[test]
    fn a_status_is_set_by_its_owner_or_an_administrator() {
        assert!(may_set_status_of(Role::Guest, true).is_allowed());
        assert!(may_set_status_of(Role::Administrator, false).is_allowed());
        assert!(!may_set_status_of(Role::Moderator, false).is_allowed());
    }

    #[test]
    fn own_names_and_the_settings_of_others() {
        assert!(may_change_own(Role::Guest, false).is_allowed());
        assert!(!may_change_own(Role::Moderator, true).is_allowed());
        assert!(may_change_own(Role::Administrator, true).is_allowed());
        assert!(may_change_settings_of_others(Role::Owner).is_allowed());
        assert!(!may_change_settings_of_others(Role::Moderator).is_allowed());
    }

    #[test]
    fn bots_that_only_send_need_less() {
        let may = |role, bot_type, all, write_only| {
            may_create_bot(role, bot_type, all, write_only).is_allowed()
        };
        assert!(may(Role::Member, 1, true, false));
        assert!(!may(Role::Member, 1, false, true));
        assert!(may(Role::Member, 2, false, true));
        assert!(!may(Role::Moderator, 2, false, false));
        assert!(may(Role::Administrator, 3, false, false));
        assert!(!may(Role::Guest, 2, true, true));
    }
}
