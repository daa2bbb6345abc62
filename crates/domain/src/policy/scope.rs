//! What an API key may do at most: its scope, and the scope that an operation needs.
//!
//! A scope limits an account and never adds to it: every other rule still applies (docs/adr/0070-scopes-of-keys.md).

use super::{Guard, Reason, Verdict};
use crate::Role;
use serde::Serialize;

/// What a key may be used for, from least to most. Each scope includes the ones before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// Reading, and the event queues that reading needs.
    Read,
    /// Also messages, and what belongs to writing and reading them.
    Send,
    /// Also everything else that an ordinary member may do.
    Everything,
    /// Also what the account's role allows.
    Administer,
    /// Also passwords, keys, sessions and addresses: sessions of browsers, and keys that were made without a name.
    Account,
}

impl Scope {
    /// All scopes, from least to most.
    pub const ALL: [Self; 5] = [
        Self::Read,
        Self::Send,
        Self::Everything,
        Self::Administer,
        Self::Account,
    ];

    /// Those that a person may choose for a key.
    pub const OF_NAMED_KEYS: [Self; 4] =
        [Self::Read, Self::Send, Self::Everything, Self::Administer];

    /// Name on the wire and in the database.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Send => "send",
            Self::Everything => "everything",
            Self::Administer => "administer",
            Self::Account => "account",
        }
    }

    /// The scope with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scope| scope.name() == name)
    }

    /// Whether a key of this scope acts as a member at most, whatever the account's role is.
    pub const fn lowers_role(self) -> bool {
        matches!(self, Self::Read | Self::Send | Self::Everything)
    }

    /// The role that a key of this scope acts with.
    #[must_use]
    pub const fn role(self, of_account: Role) -> Role {
        match of_account {
            Role::Owner | Role::Administrator | Role::Moderator if self.lowers_role() => {
                Role::Member
            }
            role => role,
        }
    }
}

/// The scope that an operation needs if it does not name one itself: reading needs least, and what is for administrators
/// needs `administer` even where it only reads.
pub const fn scope_of_operation(guard: Guard, only_reads: bool) -> Scope {
    match guard {
        Guard::Administrator | Guard::Owner => Scope::Administer,
        _ if only_reads => Scope::Read,
        _ => Scope::Everything,
    }
}

/// Whether a key of scope `held` may be used for what needs `needed`.
pub fn check_scope(held: Scope, needed: Scope) -> Verdict {
    Verdict::when(held >= needed, Reason::InsufficientScope(needed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_scope_includes_the_ones_before_it() {
        for (place, held) in Scope::ALL.into_iter().enumerate() {
            assert_eq!(Scope::from_name(held.name()), Some(held));
            for (other, needed) in Scope::ALL.into_iter().enumerate() {
                let verdict = check_scope(held, needed);
                assert_eq!(verdict.is_allowed(), place >= other, "{held:?} {needed:?}");
            }
        }
        assert_eq!(Scope::from_name("Read"), None);
        assert!(!Scope::OF_NAMED_KEYS.contains(&Scope::Account));
    }

    #[test]
    fn only_administer_and_more_keep_a_higher_role() {
        for scope in Scope::ALL {
            let keeps = scope >= Scope::Administer;
            for role in Role::ALL {
                let expected = if keeps { role } else { role.max(Role::Member) };
                assert_eq!(scope.role(role), expected, "{scope:?} {role:?}");
            }
        }
    }

    #[test]
    fn what_is_for_administrators_needs_more_than_reading() {
        for (guard, only_reads, expected) in [
            (Guard::User, true, Scope::Read),
            (Guard::Human, false, Scope::Everything),
            (Guard::OptionalAuth, true, Scope::Read),
            (Guard::Administrator, true, Scope::Administer),
            (Guard::Owner, false, Scope::Administer),
        ] {
            assert_eq!(scope_of_operation(guard, only_reads), expected);
        }
    }
}
