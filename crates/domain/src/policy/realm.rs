//! Rules about the organization itself.

use super::{Reason, Verdict};
use crate::Role;
use crate::settings::needs_owner;

/// May a user of `role` change this setting or permission of the organization (name without the
/// prefix `realm_`)? Administrators may, except for a few settings of owners.
pub fn may_change_realm_setting(role: Role, name: &str) -> Verdict {
    if !role.is_admin() {
        Verdict::Denied(Reason::AdministratorRequired)
    } else {
        Verdict::when(role.is_owner() || !needs_owner(name), Reason::OwnerRequired)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_changes_what() {
        // owner, administrator, moderator, member, guest
        for (name, expected) in [
            ("name", [true, true, false, false, false]),
            (
                "can_delete_any_message_group",
                [true, true, false, false, false],
            ),
            ("message_retention_days", [true, false, false, false, false]),
            (
                "owner_full_content_access",
                [true, false, false, false, false],
            ),
            ("can_create_groups", [true, false, false, false, false]),
        ] {
            let found = Role::ALL.map(|role| may_change_realm_setting(role, name).is_allowed());
            assert_eq!(found, expected, "{name}");
        }
        let verdict = may_change_realm_setting(Role::Administrator, "waiting_period_threshold");
        assert_eq!(verdict, Verdict::Denied(Reason::OwnerRequired));
    }
}
