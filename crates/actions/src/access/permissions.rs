//! From the names of permissions that a user's groups hold to what the user holds.

use spindle_domain::Role;
use spindle_domain::permission::{PermissionSetting, by_name};

/// Whether a user of `role` holds the permission `name`, given the names that their groups
/// hold. Guests never hold what `role:everyone` may not be given
/// (docs/protocol/permissions.md#system-groups).
pub(crate) fn holds(
    table: &'static [PermissionSetting],
    held: &[String],
    name: &str,
    role: Role,
) -> bool {
    let admits =
        by_name(table, name).is_some_and(|setting| !role.is_guest() || setting.admits_guests());
    admits && held.iter().any(|held| held == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use spindle_domain::permission::{CHANNEL, REALM};

    #[test]
    fn guests_hold_only_what_everyone_may() {
        let held = [
            "can_send_message_group".to_owned(),
            "can_subscribe_group".to_owned(),
        ];
        let holds = |name, role| holds(CHANNEL, &held, name, role);
        assert!(holds("can_send_message_group", Role::Guest));
        assert!(!holds("can_subscribe_group", Role::Guest));
        assert!(holds("can_subscribe_group", Role::Member));
        assert!(!holds("can_create_topic_group", Role::Member));
        assert!(!super::holds(
            REALM,
            &held,
            "can_subscribe_group",
            Role::Owner
        ));
    }
}
