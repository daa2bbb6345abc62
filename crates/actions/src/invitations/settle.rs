//! Ends invitations when accounts are created or deactivated.

use serde_json::json;
use spindle_domain::UserId;
use spindle_store::invitations;

use super::changed;
use crate::ActionError;
use crate::account::manage_account::Change;

/// The step that ends the open invitations of an address that has an account now.
pub(crate) fn settle_address(
    change: &mut Change<'_, '_>,
    email_folded: &str,
) -> Result<(), ActionError> {
    let (tx, realm_id) = (change.tx, change.realm_id);
    let inviters = invitations::use_of_address(tx, realm_id, change.now, email_folded)?;
    if !inviters.is_empty() {
        let event = changed(tx, realm_id, &inviters)?;
        change.events.push(event);
    }
    Ok(())
}

/// The step that revokes the open invitations of an account that is deactivated.
pub(crate) fn revoke_of_inviter(
    change: &mut Change<'_, '_>,
    inviter_id: UserId,
) -> Result<(), ActionError> {
    let ids = invitations::revoke_of_inviter(change.tx, inviter_id, change.now)?;
    if ids.is_empty() {
        return Ok(());
    }
    let event = changed(change.tx, change.realm_id, &[])?;
    change.events.push(event);
    let data = json!({"invitation_ids": ids});
    change.audit(Some(inviter_id), "invitations_revoked", &data)
}
