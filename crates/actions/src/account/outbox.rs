//! Writes mails into the outbox, in the transaction of their causes.
//!
//! A change asks for a mail and goes on whether it is written or not: without a mail server there are no mails, and each
//! kind has bounds. What a mail says is decided when it is sent (`mail`).

use serde_json::Value;
use spindle_domain::mail::MAIL_WINDOW_SECS;
use spindle_domain::{MailKind, RealmId, UserId};
use spindle_store::mails::{self, NewMail, Recipient};
use spindle_store::{WriteTx, mail_service};

use crate::ActionError;
use crate::account::secrets;

/// A person may use this part of the mails of a kind.
const PEOPLE: i64 = 20;

/// A mail to be written.
pub(crate) struct Mail<'a> {
    pub(crate) kind: MailKind,
    /// Different for each cause of the kind.
    pub(crate) cause: String,
    pub(crate) to: Recipient<'a>,
    /// A JSON object: which rows the mail is about.
    pub(crate) detail: Value,
    /// Not to be sent before this time (UNIX seconds).
    pub(crate) due: i64,
}

/// Writes a mail at `now` (UNIX seconds); returns whether it was written. Nothing is written without a mail server, beyond
/// the bounds of the kind, and when the cause has a mail already.
pub(crate) fn write(
    tx: &WriteTx<'_>,
    realm_id: RealmId,
    now: i64,
    mail: &Mail<'_>,
) -> Result<bool, ActionError> {
    write_for(tx, realm_id, now, mail, None)
}

/// As [`write`], for a mail that a person has caused to be sent to others: it uses the share of `payer`.
pub(crate) fn write_for(
    tx: &WriteTx<'_>,
    realm_id: RealmId,
    now: i64,
    mail: &Mail<'_>,
    payer: Option<UserId>,
) -> Result<bool, ActionError> {
    if !mail_service::is_on(tx, realm_id)? {
        return Ok(false);
    }
    let (kind, bounds) = (mail.kind.name(), mail.kind.bounds());
    let since = now - MAIL_WINDOW_SECS;
    if mails::count_to(tx, kind, &mail.to, since)? >= bounds.for_recipient {
        return Ok(false);
    }
    if let Some(most) = bounds.for_organization {
        let has_share = match payer {
            Some(payer) => mails::count_of(tx, kind, payer, since)? < most / PEOPLE,
            None => true,
        };
        if !has_share || mails::count_all(tx, kind, since)? >= most {
            return Ok(false);
        }
    }
    let new = NewMail {
        realm_id,
        kind,
        cause: &format!("{kind} {}", mail.cause),
        to: mail.to,
        payer,
        detail: &mail.detail.to_string(),
        nonce: &secrets::new_nonce()?,
        created: now,
        due: mail.due,
    };
    Ok(mails::insert(tx, &new)?)
}
