//! The coarse check before an operation looks at its parameters: who may call it at all.

use super::{Reason, Verdict};
use crate::Role;

/// Who calls, as far as authentication tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Caller {
    /// Role of the account.
    pub role: Role,
    /// Whether the account is a bot.
    pub is_bot: bool,
}

/// What an operation demands of its caller (docs/protocol/conventions.md#order).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum GuardLevel {
    /// No account needed.
    Anyone,
    /// Any account, bots and guests included.
    User,
    /// Any account but guests.
    NotGuest,
    /// Any account but bots.
    Human,
    /// Administrators and owners, bots of that role included.
    Administrator,
    /// Owners.
    Owner,
}

/// Decides whether `caller` (`None`: not logged in) passes the guard.
pub const fn check_guard(level: GuardLevel, caller: Option<Caller>) -> Verdict {
    let Some(caller) = caller else {
        return Verdict::when(matches!(level, GuardLevel::Anyone), Reason::NotLoggedIn);
    };
    match level {
        GuardLevel::Anyone | GuardLevel::User => Verdict::Allowed,
        GuardLevel::NotGuest => Verdict::when(!caller.role.is_guest(), Reason::GuestsExcluded),
        GuardLevel::Human => Verdict::when(!caller.is_bot, Reason::BotsExcluded),
        GuardLevel::Administrator => {
            Verdict::when(caller.role.is_admin(), Reason::AdministratorRequired)
        }
        GuardLevel::Owner => Verdict::when(caller.role.is_owner(), Reason::OwnerRequired),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_level_against_every_role() {
        // owner, administrator, moderator, member, guest
        let table = [
            (GuardLevel::Anyone, [true, true, true, true, true]),
            (GuardLevel::User, [true, true, true, true, true]),
            (GuardLevel::NotGuest, [true, true, true, true, false]),
            (GuardLevel::Human, [true, true, true, true, true]),
            (GuardLevel::Administrator, [true, true, false, false, false]),
            (GuardLevel::Owner, [true, false, false, false, false]),
        ];
        for (level, expected) in table {
            let found = Role::ALL.map(|role| {
                let caller = Caller {
                    role,
                    is_bot: false,
                };
                check_guard(level, Some(caller)).is_allowed()
            });
            assert_eq!(found, expected, "{level:?}");
            let anonymous = check_guard(level, None).is_allowed();
            assert_eq!(anonymous, level == GuardLevel::Anyone, "{level:?}");
        }
    }

    #[test]
    fn a_bot_passes_everything_of_its_role_but_the_guard_for_humans() {
        let bot = Some(Caller {
            role: Role::Owner,
            is_bot: true,
        });
        assert!(check_guard(GuardLevel::Owner, bot).is_allowed());
        assert_eq!(
            check_guard(GuardLevel::Human, bot),
            Verdict::Denied(Reason::BotsExcluded)
        );
    }
}
