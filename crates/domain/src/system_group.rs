//! The groups that every organization has: one for each role, the full members, everyone on the Internet,
//! and the empty group.
//!
//! Their names are part of the protocol and their nesting is fixed, so both live here as
//! constants. Which users are members of them is state, kept by the store.

use crate::Role;

/// A system group (docs/protocol/permissions.md#system-groups). Members list only users of exactly
/// that role; users of higher roles are reached through [`SystemGroup::subgroup`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SystemGroup {
    /// `role:internet`: all clients, authenticated or not.
    Internet,
    /// `role:everyone`: all users, guests included.
    Everyone,
    /// `role:members`
    Members,
    /// `role:fullmembers`: members past the waiting period, and users of higher roles.
    FullMembers,
    /// `role:moderators`
    Moderators,
    /// `role:administrators`
    Administrators,
    /// `role:owners`
    Owners,
    /// `role:nobody`: empty for ever.
    Nobody,
}

impl SystemGroup {
    /// All system groups. In this order every group comes after its supergroups.
    pub const ALL: [Self; 8] = [
        Self::Internet,
        Self::Everyone,
        Self::Members,
        Self::FullMembers,
        Self::Moderators,
        Self::Administrators,
        Self::Owners,
        Self::Nobody,
    ];

    /// Name on the wire and in the table of groups.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Internet => "role:internet",
            Self::Everyone => "role:everyone",
            Self::Members => "role:members",
            Self::FullMembers => "role:fullmembers",
            Self::Moderators => "role:moderators",
            Self::Administrators => "role:administrators",
            Self::Owners => "role:owners",
            Self::Nobody => "role:nobody",
        }
    }

    /// The system group of a wire name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|group| group.name() == name)
    }

    /// Text shown to people who look at the group.
    pub const fn description(self) -> &'static str {
        match self {
            Self::Internet => "Anybody who can reach this server, with or without an account",
            Self::Everyone => "All users of this organization, guests too",
            Self::Members => "All users of this organization except guests",
            Self::FullMembers => "Members whose waiting period is over, and everybody above them",
            Self::Moderators => "Moderators, administrators and owners",
            Self::Administrators => "Administrators and owners",
            Self::Owners => "Owners of this organization",
            Self::Nobody => "No one at all",
        }
    }

    /// The one direct subgroup, which makes the chain owners ⊂ administrators ⊂ … ⊂ internet.
    pub const fn subgroup(self) -> Option<Self> {
        match self {
            Self::Internet => Some(Self::Everyone),
            Self::Everyone => Some(Self::Members),
            Self::Members => Some(Self::FullMembers),
            Self::FullMembers => Some(Self::Moderators),
            Self::Moderators => Some(Self::Administrators),
            Self::Administrators => Some(Self::Owners),
            Self::Owners | Self::Nobody => None,
        }
    }

    /// The system groups that list a user of this role as a direct member.
    ///
    /// `is_full_member` is [`is_full_member`] of the user; it matters for members only.
    pub const fn direct_groups_of(role: Role, is_full_member: bool) -> &'static [Self] {
        match role {
            Role::Member if is_full_member => &[Self::Members, Self::FullMembers],
            Role::Owner => &[Self::Owners],
            Role::Administrator => &[Self::Administrators],
            Role::Moderator => &[Self::Moderators],
            Role::Member => &[Self::Members],
            Role::Guest => &[Self::Everyone],
        }
    }

    /// Whether users of `role` belong to this group, directly or through subgroups.
    pub fn includes(self, role: Role, is_full_member: bool) -> bool {
        let mut group = Some(self);
        while let Some(current) = group {
            if Self::direct_groups_of(role, is_full_member).contains(&current) {
                return true;
            }
            group = current.subgroup();
        }
        false
    }
}

/// Whether a member's waiting period is over (`realm_waiting_period_threshold`, days).
///
/// `date_joined` and `now` are UNIX seconds. Moderators and above do not wait; guests are
/// never full members, whatever their age.
pub const fn is_full_member(role: Role, date_joined: i64, now: i64, threshold_days: i64) -> bool {
    match role {
        Role::Owner | Role::Administrator | Role::Moderator => true,
        Role::Guest => false,
        Role::Member => now.saturating_sub(date_joined) >= threshold_days.saturating_mul(86_400),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_chain_runs_from_the_internet_down_to_owners() {
        let mut chain = vec![SystemGroup::Internet];
        while let Some(next) = chain.last().unwrap().subgroup() {
            chain.push(next);
        }
        assert_eq!(chain, &SystemGroup::ALL[..7]);
        assert_eq!(SystemGroup::Nobody.subgroup(), None);
    }

    #[test]
    fn membership_follows_the_role() {
        let table = [
            (SystemGroup::Owners, [true, false, false, false, false]),
            (
                SystemGroup::Administrators,
                [true, true, false, false, false],
            ),
            (SystemGroup::Moderators, [true, true, true, false, false]),
            (SystemGroup::FullMembers, [true, true, true, false, false]),
            (SystemGroup::Members, [true, true, true, true, false]),
            (SystemGroup::Everyone, [true; 5]),
            (SystemGroup::Internet, [true; 5]),
            (SystemGroup::Nobody, [false; 5]),
        ];
        for (group, expected) in table {
            let found = Role::ALL.map(|role| group.includes(role, false));
            assert_eq!(found, expected, "{}", group.name());
        }
        assert!(SystemGroup::FullMembers.includes(Role::Member, true));
        assert!(!SystemGroup::FullMembers.includes(Role::Guest, true));
    }

    #[test]
    fn the_waiting_period_counts_whole_days_for_members_only() {
        assert!(!is_full_member(Role::Member, 0, 86_399, 1));
        assert!(is_full_member(Role::Member, 0, 86_400, 1));
        assert!(is_full_member(Role::Member, 100, 100, 0));
        assert!(is_full_member(Role::Moderator, 100, 100, 30));
        assert!(!is_full_member(Role::Guest, 0, i64::MAX, 0));
    }

    #[test]
    fn names_go_there_and_back() {
        for group in SystemGroup::ALL {
            assert_eq!(SystemGroup::from_name(group.name()), Some(group));
        }
        assert_eq!(SystemGroup::from_name("owners"), None);
    }
}
