//! Rules about exporting the organization's data (docs/protocol/exports.md#export_realm).

use super::{Reason, Verdict};
use crate::Role;

/// May the actor, an administrator, ask for this export? Everything, whether people agree or
/// not, is for owners, and only where the organization gives its owners access to it.
pub const fn may_export(role: Role, is_everything: bool, owners_have_access: bool) -> Verdict {
    Verdict::when(
        !is_everything || (role.is_owner() && owners_have_access),
        Reason::ExportOfEverything,
    )
}

/// May the actor, an administrator, know of this export, and have or delete its archive? One of
/// everything exists for owners only.
pub const fn may_have_export(role: Role, is_everything: bool) -> Verdict {
    Verdict::when(
        role.is_owner() || (role.is_admin() && !is_everything),
        Reason::NoAccess,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_is_for_owners_where_that_is_allowed() {
        let denied = Verdict::Denied(Reason::ExportOfEverything);
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

    #[test]
    fn an_export_of_everything_is_known_to_owners_only() {
        let known =
            |is_everything| Role::ALL.map(|role| may_have_export(role, is_everything).is_allowed());
        assert_eq!(known(true), [true, false, false, false, false]);
        assert_eq!(known(false), [true, true, false, false, false]);
    }
}
