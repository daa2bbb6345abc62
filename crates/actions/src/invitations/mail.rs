//! The mails of an invitation: one with the link at once, one before it ends.

use serde_json::json;
use sha2::{Digest as _, Sha256};
use spindle_domain::{InvitationId, MailKind};
use spindle_store::mails::Recipient;
use spindle_store::{invitations, sponsors, users};

use crate::ActionError;
use crate::account::manage_account::Change;
use crate::account::outbox::{self, Mail};
use crate::text::{fold_name, hexadecimal};

/// Seconds before the end of an invitation at which its reminder is sent.
pub(crate) const REMINDER_SECS: i64 = 2 * 24 * 3600;

/// Writes the mails of an open invitation of an address, from which its lifetime begins now.
pub(super) fn write(change: &Change<'_, '_>, id: InvitationId) -> Result<(), ActionError> {
    let (tx, realm_id, now) = (change.tx, change.realm_id, change.now);
    let Some(row) = invitations::open_by_id(tx, realm_id, now, id)? else {
        return Ok(());
    };
    let Some(email) = &row.email else {
        return Ok(());
    };
    // Administrators have no share, so that members cannot use up what they need.
    let inviter = users::by_id(tx, realm_id, row.inviter_id)?;
    let payer = match inviter.filter(|inviter| !inviter.role.is_admin()) {
        Some(inviter) => Some(sponsors::payer_of(tx, inviter.id)?),
        None => None,
    };
    let folded = fold_name(email);
    let mail = |kind, cause: String, due| Mail {
        kind,
        cause,
        to: Recipient::Address(email, &folded),
        detail: json!({"invitation_id": id}),
        due,
    };
    let link = mail(MailKind::Invitation, format!("{id} {now}"), now);
    if !outbox::write_for(tx, realm_id, now, &link, payer)? {
        return Ok(());
    }
    // One that ends soon needs no reminder.
    let due = row.expires_at.map(|end| end - REMINDER_SECS);
    if let Some(due) = due.filter(|due| *due > now) {
        let reminder = mail(MailKind::InvitationReminder, format!("{id} {due}"), due);
        outbox::write_for(tx, realm_id, now, &reminder, payer)?;
    }
    Ok(())
}

/// The conversation that all mails of an invitation belong to; it tells nothing of the link.
pub(crate) fn thread_of(nonce: &[u8]) -> String {
    let mut hash = Sha256::new();
    hash.update(b"mails of an invitation ");
    hash.update(nonce);
    let digest: [u8; 32] = hash.finalize().into();
    hexadecimal(&digest)
}
