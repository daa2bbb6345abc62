//! The check before the parameters of an operation are read: which accounts may call it.

use super::{Reason, Verdict};
use crate::Role;

/// The caller, as authentication finds it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Caller {
    /// Role of the account.
    pub role: Role,
    /// Whether the account is a bot.
    pub is_bot: bool,
}

/// Which accounts may call an operation (docs/protocol/conventions.md#order). Checked after the route, the
/// method, the credentials and the rate limit, and before the parameters are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Guard {
    /// Credentials are neither required nor checked.
    Anonymous,
    /// Credentials are checked when there are some; without them there is no caller.
    OptionalAuth,
    /// Any active account, except incoming-webhook bots (401).
    User,
    /// Any active account, incoming-webhook bots included.
    UserOrWebhook,
    /// Any account but guests (400 BAD_REQUEST).
    NotGuest,
    /// Any account but bots (400 BAD_REQUEST).
    Human,
    /// Administrators and owners, bots of that role included (400 UNAUTHORIZED_PRINCIPAL).
    Administrator,
    /// Owners (400 UNAUTHORIZED_PRINCIPAL).
    Owner,
}

/// Decides whether `caller` (`None`: not logged in) passes the guard. Authentication has refused
/// incoming-webhook bots before.
pub const fn check_guard(guard: Guard, caller: Option<Caller>) -> Verdict {
    let Some(caller) = caller else {
        let is_open = matches!(guard, Guard::Anonymous | Guard::OptionalAuth);
        return Verdict::when(is_open, Reason::NotLoggedIn);
    };
    match guard {
        Guard::Anonymous | Guard::OptionalAuth | Guard::User | Guard::UserOrWebhook => {
            Verdict::Allowed
        }
        Guard::NotGuest => Verdict::when(!caller.role.is_guest(), Reason::GuestsExcluded),
        Guard::Human => Verdict::when(!caller.is_bot, Reason::BotsExcluded),
        Guard::Administrator => {
            Verdict::when(caller.role.is_admin(), Reason::AdministratorRequired)
        }
        Guard::Owner => Verdict::when(caller.role.is_owner(), Reason::OwnerRequired),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_level_against_every_role() {
        // owner, administrator, moderator, member, guest
        let table = [
            (Guard::Anonymous, [true, true, true, true, true]),
            (Guard::OptionalAuth, [true, true, true, true, true]),
            (Guard::User, [true, true, true, true, true]),
            (Guard::UserOrWebhook, [true, true, true, true, true]),
            (Guard::NotGuest, [true, true, true, true, false]),
            (Guard::Human, [true, true, true, true, true]),
            (Guard::Administrator, [true, true, false, false, false]),
            (Guard::Owner, [true, false, false, false, false]),
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
            let is_open = matches!(level, Guard::Anonymous | Guard::OptionalAuth);
            assert_eq!(anonymous, is_open, "{level:?}");
        }
    }

    #[test]
    fn a_bot_passes_everything_of_its_role_but_the_guard_for_humans() {
        let bot = Some(Caller {
            role: Role::Owner,
            is_bot: true,
        });
        assert!(check_guard(Guard::Owner, bot).is_allowed());
        assert_eq!(
            check_guard(Guard::Human, bot),
            Verdict::Denied(Reason::BotsExcluded)
        );
    }
}
