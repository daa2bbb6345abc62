//! Names of user groups: which are allowed.
//!
//! Whether a name is free is state, kept by the store.

use crate::limits::MAX_USER_GROUP_NAME_LENGTH;
use crate::text::{Form, Unprintable, is_longer_than};

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
    /// Holds a character that cannot be printed, at this position.
    Unprintable(usize),
    /// Begins with one of [`RESERVED_PREFIXES`].
    ReservedPrefix(&'static str),
}

/// The name of a user group as stored.
///
/// # Errors
/// The first rule that the name breaks.
pub fn check_group_name(name: &str) -> Result<String, GroupNameProblem> {
    let name = Form::Name
        .accept(name)
        .map_err(|Unprintable(position)| GroupNameProblem::Unprintable(position))?;
    if name.is_empty() {
        return Err(GroupNameProblem::Blank);
    }
    if is_longer_than(&name, MAX_USER_GROUP_NAME_LENGTH) {
        return Err(GroupNameProblem::TooLong);
    }
    let reserved = RESERVED_PREFIXES
        .into_iter()
        .find(|prefix| name.starts_with(prefix));
    match reserved {
        Some(prefix) => Err(GroupNameProblem::ReservedPrefix(prefix)),
        None => Ok(name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule() {
        for good in ["devs", "Role:x", "a@b", &"é".repeat(100)] {
            assert_eq!(check_group_name(good).as_deref(), Ok(good));
        }
        assert_eq!(check_group_name(" the  devs ").as_deref(), Ok("the devs"));
        let problem = GroupNameProblem::Unprintable(2);
        assert_eq!(check_group_name("a\u{1}"), Err(problem));
        assert_eq!(check_group_name(" \t"), Err(GroupNameProblem::Blank));
        let long = "é".repeat(101);
        assert_eq!(check_group_name(&long), Err(GroupNameProblem::TooLong));
        for prefix in RESERVED_PREFIXES {
            let problem = GroupNameProblem::ReservedPrefix(prefix);
            assert_eq!(check_group_name(&format!("{prefix}x")), Err(problem));
        }
    }
}
