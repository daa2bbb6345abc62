//! Names of user groups: which are allowed.
//!
//! Whether a name is free is state, kept by the store. Names are never trimmed, because what a
//! client sends is what it later looks for.

use crate::limits::MAX_USER_GROUP_NAME_LENGTH;
use crate::text::is_longer_than;

/// Beginnings that mean something else where names are written: mentions, and names of groups
/// that the server makes (docs/protocol/user-groups.md#update_user_group).
pub const RESERVED_PREFIXES: [&str; 5] = ["@", "role:", "user:", "stream:", "channel:"];

/// Why a name is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GroupNameProblem {
    /// Nothing but white space.
    Blank,
    /// More than one hundred characters.
    TooLong,
    /// Begins with one of [`RESERVED_PREFIXES`].
    ReservedPrefix(&'static str),
}

/// Checks the name of a user group.
///
/// # Errors
/// The first rule that the name breaks.
pub fn check_group_name(name: &str) -> Result<(), GroupNameProblem> {
    if name.trim().is_empty() {
        return Err(GroupNameProblem::Blank);
    }
    if is_longer_than(name, MAX_USER_GROUP_NAME_LENGTH) {
        return Err(GroupNameProblem::TooLong);
    }
    let reserved = RESERVED_PREFIXES
        .into_iter()
        .find(|prefix| name.starts_with(prefix));
    reserved.map_or(Ok(()), |prefix| {
        Err(GroupNameProblem::ReservedPrefix(prefix))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule() {
        for good in ["devs", " devs ", "Role:x", "a@b", &"é".repeat(100)] {
            assert_eq!(check_group_name(good), Ok(()), "{good}");
        }
        assert_eq!(check_group_name(" \t"), Err(GroupNameProblem::Blank));
        let long = "é".repeat(101);
        assert_eq!(check_group_name(&long), Err(GroupNameProblem::TooLong));
        for prefix in RESERVED_PREFIXES {
            let problem = GroupNameProblem::ReservedPrefix(prefix);
            assert_eq!(check_group_name(&format!("{prefix}x")), Err(problem));
        }
    }
}
