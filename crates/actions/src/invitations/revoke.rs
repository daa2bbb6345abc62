//! Revokes an invitation.

use serde_json::json;
use spindle_domain::InvitationId;
use spindle_domain::policy::{Reason, may_manage_invitation};
use spindle_store::invitations::{End, InvitationRow};
use spindle_store::{Connection, Freeing, invitations};

use super::changed;
use crate::account::manage_account::Change;
use crate::{ActionError, Actor};

/// Which of the two lists of the wire an invitation is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InvitationKind {
    /// Of one address.
    Personal,
    /// A link for many.
    Link,
}

/// Revokes an invitation at `now` (UNIX seconds): its link is no longer valid.
///
/// # Errors
/// [`ActionError::Denied`] when there is no such open invitation, or it is another user's and
/// the caller is no administrator (for one as owner: no owner).
pub fn revoke_invitation(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    kind: InvitationKind,
    id: InvitationId,
) -> Result<(), ActionError> {
    let db = &Freeing(db);
    Change::emitting(db, Some(actor), actor.realm_id, now, |change| {
        let row = access_invitation(change, actor, kind, id)?;
        invitations::end(change.tx, row.id, now, End::Revocation)?;
        let event = changed(change.tx, change.realm_id, &[row.inviter_id])?;
        change.events.push(event);
        change.audit(
            None,
            "invitation_revoked",
            &json!({"invitation_id": row.id}),
        )?;
        Ok(())
    })
}

/// Finds an open invitation that the actor may change.
pub(super) fn access_invitation(
    change: &Change<'_, '_>,
    actor: &Actor,
    kind: InvitationKind,
    id: InvitationId,
) -> Result<InvitationRow, ActionError> {
    let row = invitations::open_by_id(change.tx, change.realm_id, change.now, id)?
        .filter(|row| row.is_multiuse() == (kind == InvitationKind::Link))
        .ok_or(Reason::NoAccess)?;
    let is_own = row.inviter_id == actor.user_id;
    may_manage_invitation(actor.role, is_own, row.invited_as).check()?;
    Ok(row)
}
