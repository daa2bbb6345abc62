//! Restarts the lifetime of an invitation of an address, with the same link.

use serde_json::json;
use spindle_domain::InvitationId;
use spindle_store::{Connection, invitations};

use super::revoke::access_invitation;
use super::{InvitationKind, changed, mail};
use crate::account::manage_account::Change;
use crate::{ActionError, Actor};

/// Renews an invitation at `now` (UNIX seconds): it lives as long from now as it did from its
/// creation. Where mail is configured, the address is sent the link
/// once more; otherwise the caller passes it on.
///
/// # Errors
/// As `revoke_invitation`.
pub fn renew_invitation(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    id: InvitationId,
) -> Result<(), ActionError> {
    Change::emitting(db, Some(actor), actor.realm_id, now, |change| {
        let row = access_invitation(change, actor, InvitationKind::Personal, id)?;
        invitations::renew(change.tx, row.id, now)?;
        mail::write(change, row.id)?;
        let event = changed(change.tx, change.realm_id, &[row.inviter_id])?;
        change.events.push(event);
        change.audit(
            None,
            "invitation_renewed",
            &json!({"invitation_id": row.id}),
        )?;
        Ok(())
    })
}
