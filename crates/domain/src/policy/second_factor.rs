//! Rules about second factors: who must have one, who resets it for others, and how long wrong codes close the account.

use super::{AdministerFacts, Reason, Verdict};
use crate::Role;
use crate::limits::{MAX_WRONG_CODES, WRONG_CODE_PAUSE_SECONDS};

/// The lowest role that must have a second factor with this value of the setting.
#[must_use]
pub fn lowest_role_with_second_factor(setting: &str) -> Option<Role> {
    match setting {
        "administrators" => Some(Role::Administrator),
        "members" => Some(Role::Member),
        "everyone" => Some(Role::Guest),
        _ => None,
    }
}

/// Whether an account of this role must have a second factor. Bots cannot have one.
#[must_use]
pub fn requires_second_factor(setting: &str, role: Role, is_bot: bool) -> bool {
    !is_bot && lowest_role_with_second_factor(setting).is_some_and(|lowest| role <= lowest)
}

/// May the actor reset the second factor of this account? Who may do so and can sign in otherwise acts as the account, so
/// it needs a higher role; of owners only the operator resets it.
pub fn may_reset_second_factor(facts: &AdministerFacts) -> Verdict {
    if !facts.actor_role.is_admin() {
        return Verdict::Denied(Reason::AdministratorRequired);
    }
    let is_above = facts.actor_role < facts.target_role;
    let is_in_reach = facts.actor_role.is_owner() || !facts.target_is_privileged;
    Verdict::when(is_above && is_in_reach, Reason::OwnerRequired)
}

/// Seconds for which no further code is compared after so many wrong ones in a row: none for the first few, then longer
/// and longer, up to a day.
#[must_use]
pub fn pause_after_wrong_codes(wrong_codes: i64) -> i64 {
    const DAY: i64 = 24 * 60 * 60;
    let beyond = wrong_codes - MAX_WRONG_CODES;
    if beyond < 0 {
        return 0;
    }
    WRONG_CODE_PAUSE_SECONDS
        .saturating_mul(1 << beyond.min(20))
        .min(DAY)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::SECOND_FACTOR_ROLES;

    #[test]
    fn who_must_have_one() {
        // owner, administrator, moderator, member, guest
        let table = [
            ("nobody", [false; 5]),
            ("administrators", [true, true, false, false, false]),
            ("members", [true, true, true, true, false]),
            ("everyone", [true; 5]),
        ];
        assert_eq!(table.map(|(setting, _)| setting), SECOND_FACTOR_ROLES);
        for (setting, expected) in table {
            let found = Role::ALL.map(|role| requires_second_factor(setting, role, false));
            assert_eq!(found, expected, "{setting}");
            assert!(!requires_second_factor(setting, Role::Owner, true));
        }
    }

    #[test]
    fn it_is_reset_from_above() {
        let verdict = |actor_role, target_role, target_is_privileged| {
            may_reset_second_factor(&AdministerFacts {
                actor_role,
                target_role,
                actor_owns_target: false,
                target_is_bot: false,
                target_is_privileged,
                target_is_last_owner: false,
            })
            .is_allowed()
        };
        let of = |actor| Role::ALL.map(|target| verdict(actor, target, false));
        assert_eq!(of(Role::Owner), [false, true, true, true, true]);
        assert_eq!(of(Role::Administrator), [false, false, true, true, true]);
        assert_eq!(of(Role::Moderator), [false; 5]);
        assert!(verdict(Role::Owner, Role::Member, true));
        assert!(!verdict(Role::Administrator, Role::Member, true));
    }

    /// Three of a million codes are right at any time.
    #[test]
    fn guessing_for_a_year_is_hopeless() {
        let (mut time, mut wrong) = (0, 0);
        while time < 365 * 24 * 60 * 60 {
            wrong += 1;
            time += pause_after_wrong_codes(wrong);
        }
        assert!(wrong < 400, "{wrong}");
        assert_eq!(pause_after_wrong_codes(MAX_WRONG_CODES - 1), 0);
        assert!(pause_after_wrong_codes(i64::MAX) > 0);
    }
}
