//! Grants and revokes special permissions, which no role carries. Only the
//! operator does it; the API has no operation for it.

use serde_json::json;
use spindle_domain::policy::may_administer_user;
use spindle_domain::{RealmId, UserId};
use spindle_store::{Connection, SilentReason, audit, user_permissions};

use crate::account::manage_account::access_account;
use crate::{ActionError, change};

/// The special permissions (docs/protocol/permissions.md#special-permissions).
pub const SPECIAL_PERMISSIONS: [&str; 3] = [
    "can_create_users",
    "can_change_user_emails",
    "can_forge_sender",
];

/// Grants (`granted`) or revokes a special permission at `now` (UNIX seconds). Returns whether
/// anything changed.
///
/// # Errors
/// [`ActionError::BadRequest`] for an unknown permission, [`ActionError::Denied`] when there
/// is no such account.
pub fn set_permission(
    db: &dyn Connection,
    realm_id: RealmId,
    now: i64,
    user_id: UserId,
    permission: &str,
    granted: bool,
) -> Result<bool, ActionError> {
    if !SPECIAL_PERMISSIONS.contains(&permission) {
        return Err(ActionError::BadRequest(format!(
            "There is no permission {permission:?}; there are {}",
            SPECIAL_PERMISSIONS.join(", ")
        )));
    }
    change::silently(db, SilentReason::Credentials, |tx| {
        let id = access_account(tx, None, realm_id, user_id, may_administer_user)?
            .row
            .id;
        let changed = user_permissions::set_permission(tx, id, permission, granted)?;
        if changed {
            let data = json!({"permission": permission, "granted": granted}).to_string();
            audit::append(
                tx,
                realm_id,
                now,
                None,
                Some(id),
                "user_permission_changed",
                &data,
            )?;
        }
        Ok(changed)
    })
}
