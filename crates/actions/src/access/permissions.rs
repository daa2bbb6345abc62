//! From the names of permissions that a user's groups hold to what the user holds.

use spindle_domain::{Permission, Role};

/// Whether a user of `role` holds a permission, given the names of the permissions that the user's
/// groups hold. Guests never hold a permission that `role:everyone` may not be given
/// (docs/protocol/permissions.md#system-groups).
pub(crate) fn holds(permission: Permission, held: &[String], role: Role) -> bool {
    let row = permission.row();
    let admits = !role.is_guest() || row.admits_guests();
    admits && held.iter().any(|held| held == row.name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use spindle_domain::permission;

    #[test]
    fn guests_hold_only_what_everyone_may() {
        let held = [
            "can_send_message_group".to_owned(),
            "can_subscribe_group".to_owned(),
        ];
        let send = permission!(CHANNEL, "can_send_message_group");
        let subscribe = permission!(CHANNEL, "can_subscribe_group");
        let create_topic = permission!(CHANNEL, "can_create_topic_group");
        assert!(holds(send, &held, Role::Guest));
        assert!(!holds(subscribe, &held, Role::Guest));
        assert!(holds(subscribe, &held, Role::Member));
        assert!(!holds(create_topic, &held, Role::Member));
    }
}
