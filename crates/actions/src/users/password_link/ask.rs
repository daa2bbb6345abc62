//! Asks for a mail with a link that sets a new password (docs/protocol/sessions.md#request_password_reset).
//!
//! Nothing is looked up here: a request for an address without an account does the same work and gets the same answer.
//! The job that sends mails finds the account.

use serde_json::json;
use spindle_domain::{MailKind, RealmId};
use spindle_store::mails::Recipient;
use spindle_store::{Connection, SilentReason, mail_service};

use crate::account::outbox::{self, Mail};
use crate::account::ways::check_password_is_on;
use crate::text::{email_address, fold_name};
use crate::{ActionError, change};

/// Asks at `now` (UNIX seconds) for a mail to the account with this address, if there is one. Beyond a few for one address
/// within a day nothing is sent, and the answer is the same.
///
/// # Errors
/// [`ActionError::BadRequest`] for a malformed address, and when mail is not configured;
/// `ClientError::PasswordAuthDisabled`.
pub fn request_password_reset(
    db: &dyn Connection,
    realm_id: RealmId,
    now: i64,
    email: &str,
) -> Result<(), ActionError> {
    let email = email_address(email.trim())?;
    let folded = fold_name(&email);
    check_password_is_on(db, realm_id)?;
    if !mail_service::is_on(db, realm_id)? {
        return Err(ActionError::bad_request("This server sends no mail"));
    }
    change::silently(db, SilentReason::Credentials, |tx| {
        let mail = Mail {
            kind: MailKind::PasswordReset,
            cause: format!("{folded} {now}"),
            to: Recipient::Address(&email, &folded),
            detail: json!({}),
            due: now,
        };
        outbox::write(tx, realm_id, now, &mail).map(drop)
    })
}
