//! Rules about invitations: who invites with which role, and who revokes an invitation.
//!
//! An invitation gives no more rights than its inviter has: the same rule applies when it is
//! created and when an account joins with it, so an inviter who has lost a role can no longer give
//! it.

use super::{Reason, Verdict};
use crate::Role;

/// May the actor invite people at all? `holds_permission`: `can_invite_users_group` for
/// addresses, `create_multiuse_invite_group` for links that many may use.
pub const fn may_invite(is_bot: bool, holds_permission: bool) -> Verdict {
    if is_bot {
        return Verdict::Denied(Reason::BotsExcluded);
    }
    Verdict::when(holds_permission, Reason::InsufficientPermission)
}

/// May a user of role `inviter` invite with the role `invited`? No inviter gives a higher role than
/// their own, and guests invite no one.
pub const fn may_invite_as(inviter: Role, invited: Role) -> Verdict {
    if inviter.is_guest() {
        return Verdict::Denied(Reason::GuestsExcluded);
    }
    match invited {
        Role::Owner => Verdict::when(inviter.is_owner(), Reason::OwnerRequired),
        Role::Administrator => Verdict::when(inviter.is_admin(), Reason::AdministratorRequired),
        Role::Moderator => Verdict::when(inviter.is_moderator(), Reason::InsufficientPermission),
        Role::Member | Role::Guest => Verdict::Allowed,
    }
}

/// May the actor revoke or renew an invitation as `invited`? Their own they may; those of
/// others exist for administrators only, and invitations as owner for owners only.
pub const fn may_manage_invitation(actor: Role, is_own: bool, invited: Role) -> Verdict {
    if is_own {
        return Verdict::Allowed;
    }
    if !actor.is_admin() {
        return Verdict::Denied(Reason::NoAccess);
    }
    Verdict::when(
        actor.is_owner() || !invited.is_owner(),
        Reason::OwnerRequired,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_with_the_permission_invite() {
        assert!(may_invite(false, true).is_allowed());
        assert_eq!(
            may_invite(false, false),
            Verdict::Denied(Reason::InsufficientPermission)
        );
        assert_eq!(
            may_invite(true, true),
            Verdict::Denied(Reason::BotsExcluded)
        );
    }

    #[test]
    fn no_inviter_gives_a_higher_role_than_their_own() {
        // As owner, administrator, moderator, member, guest.
        for (inviter, expected) in [
            (Role::Owner, [true, true, true, true, true]),
            (Role::Administrator, [false, true, true, true, true]),
            (Role::Moderator, [false, false, true, true, true]),
            (Role::Member, [false, false, false, true, true]),
            (Role::Guest, [false, false, false, false, false]),
        ] {
            let found = Role::ALL.map(|role| may_invite_as(inviter, role).is_allowed());
            assert_eq!(found, expected, "{inviter:?}");
        }
        let refused = |inviter, invited| match may_invite_as(inviter, invited) {
            Verdict::Denied(reason) => Some(reason),
            Verdict::Allowed => None,
        };
        let owner = refused(Role::Administrator, Role::Owner);
        assert_eq!(owner, Some(Reason::OwnerRequired));
        let administrator = refused(Role::Member, Role::Administrator);
        assert_eq!(administrator, Some(Reason::AdministratorRequired));
    }

    #[test]
    fn who_revokes_an_invitation() {
        let manage = |actor, is_own, invited| may_manage_invitation(actor, is_own, invited);
        for role in Role::ALL {
            assert!(manage(role, true, Role::Owner).is_allowed(), "{role:?}");
        }
        assert!(manage(Role::Owner, false, Role::Owner).is_allowed());
        assert!(manage(Role::Administrator, false, Role::Administrator).is_allowed());
        assert_eq!(
            manage(Role::Administrator, false, Role::Owner),
            Verdict::Denied(Reason::OwnerRequired)
        );
        assert_eq!(
            manage(Role::Moderator, false, Role::Guest),
            Verdict::Denied(Reason::NoAccess)
        );
    }
}
