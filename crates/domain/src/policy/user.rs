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

/// May the actor make an API key with a name? The organization decides, by `can_create_api_keys_group`. A sign-in
/// with a password makes keys without one in any case.
pub const fn may_create_api_key(holds_permission: bool) -> Verdict {
    Verdict::when(holds_permission, Reason::KeysExcluded)
}

/// May the actor make a link that sets a new password of this account, or choose the address to which such a link
/// can be mailed? Who has the link may act as the account, so an administrator needs a higher role than the
/// account, and no permission of its own may come with it.
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
mod tests;
