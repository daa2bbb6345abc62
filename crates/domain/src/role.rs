//! The five roles of a user, their integers on the wire, and what follows from a role alone.
//!
//! A role answers coarse questions only. What a person may do with a thing is decided in
//! [`crate::policy`] and through groups, because most permissions are held by groups.

use crate::SystemGroup;
use serde::{Deserialize, Serialize};

/// A user's role (docs/protocol/permissions.md#roles, `role`).
///
/// Serialized as its integer. The order of the variants is from most to least powerful.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[serde(into = "i64", try_from = "i64")]
pub enum Role {
    /// 100
    Owner,
    /// 200
    Administrator,
    /// 300
    Moderator,
    /// 400; what an account is unless another role is given.
    #[default]
    Member,
    /// 600
    Guest,
}

/// An integer that is no role.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnknownRole(pub i64);

impl std::fmt::Display for UnknownRole {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{} is not a role", self.0)
    }
}

impl std::error::Error for UnknownRole {}

impl Role {
    /// All roles, from most to least powerful.
    pub const ALL: [Self; 5] = [
        Self::Owner,
        Self::Administrator,
        Self::Moderator,
        Self::Member,
        Self::Guest,
    ];

    /// The role of a wire integer, if it is one of the five.
    pub const fn from_i64(value: i64) -> Option<Self> {
        match value {
            100 => Some(Self::Owner),
            200 => Some(Self::Administrator),
            300 => Some(Self::Moderator),
            400 => Some(Self::Member),
            600 => Some(Self::Guest),
            _ => None,
        }
    }

    /// The integer on the wire and in the database.
    pub const fn as_i64(self) -> i64 {
        match self {
            Self::Owner => 100,
            Self::Administrator => 200,
            Self::Moderator => 300,
            Self::Member => 400,
            Self::Guest => 600,
        }
    }

    /// The word used by the administrator's command (`--role`).
    pub const fn name(self) -> &'static str {
        match self {
            Self::Owner => "owner",
            Self::Administrator => "administrator",
            Self::Moderator => "moderator",
            Self::Member => "member",
            Self::Guest => "guest",
        }
    }

    /// The role of a word as printed by [`Role::name`].
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.name() == name)
    }

    /// `is_admin` of the wire: administrators and owners.
    pub const fn is_admin(self) -> bool {
        matches!(self, Self::Owner | Self::Administrator)
    }

    /// `is_owner` of the wire.
    pub const fn is_owner(self) -> bool {
        matches!(self, Self::Owner)
    }

    /// `is_moderator` of the register response: moderators and above (FL 380).
    pub const fn is_moderator(self) -> bool {
        matches!(self, Self::Owner | Self::Administrator | Self::Moderator)
    }

    /// `is_guest` of the wire.
    pub const fn is_guest(self) -> bool {
        matches!(self, Self::Guest)
    }

    /// The system group that lists exactly the users of this role.
    pub const fn system_group(self) -> SystemGroup {
        match self {
            Self::Owner => SystemGroup::Owners,
            Self::Administrator => SystemGroup::Administrators,
            Self::Moderator => SystemGroup::Moderators,
            Self::Member => SystemGroup::Members,
            Self::Guest => SystemGroup::Everyone,
        }
    }
}

impl From<Role> for i64 {
    fn from(role: Role) -> i64 {
        role.as_i64()
    }
}

impl TryFrom<i64> for Role {
    type Error = UnknownRole;

    fn try_from(value: i64) -> Result<Self, UnknownRole> {
        Self::from_i64(value).ok_or(UnknownRole(value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_and_names_go_there_and_back() {
        for role in Role::ALL {
            assert_eq!(Role::from_i64(role.as_i64()), Some(role));
            assert_eq!(Role::from_name(role.name()), Some(role));
            let json = serde_json::to_string(&role).unwrap();
            assert_eq!(json, role.as_i64().to_string());
            assert_eq!(serde_json::from_str::<Role>(&json).unwrap(), role);
        }
        assert_eq!(Role::from_i64(500), None);
        assert!(serde_json::from_str::<Role>("0").is_err());
    }

    #[test]
    fn an_owner_is_an_administrator_and_a_moderator_is_not() {
        assert!(Role::Owner.is_admin() && Role::Owner.is_owner() && Role::Owner.is_moderator());
        assert!(Role::Administrator.is_admin() && !Role::Administrator.is_owner());
        assert!(!Role::Moderator.is_admin() && Role::Moderator.is_moderator());
        assert!(!Role::Member.is_moderator() && !Role::Member.is_guest());
        assert!(Role::Guest.is_guest());
        assert!(Role::Owner < Role::Guest);
    }
}
