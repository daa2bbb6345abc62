//! Rules about taking the organization's data away (spec: POST /export/realm).

use super::{Reason, Verdict};
use crate::Role;

/// May the actor, an administrator, ask for this export? Everything, whether people agree or
/// not, is for owners, and only where the organization gives its owners access to it.
pub const fn may_export(role: Role, is_everything: bool, owners_have_access: bool) -> Verdict {
    Verdict::when(
        !is_everything || (role.is_owner() && owners_have_access),
        Reason::InsufficientPermission,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_is_for_owners_where_that_is_allowed() {
        let denied = Verdict::Denied(Reason::InsufficientPermission);
        for (role, is_everything, owners_have_access, expected) in [
            (Role::Administrator, false, false, Verdict::Allowed),
            (Role::Owner, false, false, Verdict::Allowed),
            (Role::Owner, true, true, Verdict::Allowed),
            (Role::Owner, true, false, denied),
            (Role::Administrator, true, true, denied),
        ] {
            assert_eq!(
                may_export(role, is_everything, owners_have_access),
                expected
            );
        }
    }
}
