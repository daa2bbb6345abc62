//! Claims a mail that is due and decides what it says.

use serde_json::{Map, Value};
use spindle_domain::{MailId, MailKind, RealmId};
use spindle_store::mails::{self, MailEnd, MailRow};
use spindle_store::pictures::RealmPicture;
use spindle_store::{
    Connection, Db, DbError, SilentReason, WriteTx, mail_service, pictures, realms, users,
};

use super::content::Origin;
use super::{account, digest, invitation, missed};
use crate::invitations::InvitationLinks;
use crate::organization::set_realm_picture::shown;
use crate::personal::unsubscription_key;
use crate::text::hexadecimal;
use crate::{ActionError, change};

/// Mails of settled causes that one claim drops at most.
const DROPPED_AT_ONCE: usize = 50;

/// A mail to be sent.
#[derive(Debug, Clone, PartialEq)]
pub struct ClaimedMail {
    pub id: MailId,
    /// The number of the attempt, from 1; it is reported with the outcome.
    pub attempt: i64,
    pub kind: MailKind,
    /// The address of the recipient.
    pub to: String,
    /// The name of the recipient, where it is known.
    pub to_name: Option<String>,
    /// The same for each attempt, and for no other mail of any server: hexadecimal digits.
    pub message_id: String,
    /// The conversation that the mail belongs to, in the same form; none: it stands alone.
    pub thread: Option<String>,
    /// The key of the link that switches such mails off, where that is possible.
    pub unsubscription: Option<String>,
    /// The values of its texts.
    pub values: Map<String, Value>,
}

/// Claims the mail that is due longest at `now` (UNIX seconds); no other worker gets it within `seconds`. Mails whose causes
/// are settled are dropped on the way.
///
/// # Errors
/// [`ActionError::Store`] and [`ActionError::Internal`].
pub fn claim_mail(
    db: &dyn Connection,
    realm_id: RealmId,
    now: i64,
    seconds: i64,
    links: InvitationLinks<'_>,
) -> Result<Option<ClaimedMail>, ActionError> {
    // Most claims find nothing, and need not wait for the write lock.
    if !mails::is_any_due(db, now)? || !mail_service::is_on(db, realm_id)? {
        return Ok(None);
    }
    let origin = Origin {
        realm_id,
        now,
        links,
    };
    change::silently(db, SilentReason::Calls, |tx| {
        for _ in 0..DROPPED_AT_ONCE {
            let Some(row) = mails::claim(tx, now, now + seconds)? else {
                return Ok(None);
            };
            if let Some(mail) = content(tx, &origin, &row)? {
                return Ok(Some(mail));
            }
            mails::end(tx, row.id, now, MailEnd::Dropped, None)?;
        }
        Ok(None)
    })
}

/// The mail that a row stands for; none when its cause is settled.
fn content(
    tx: &WriteTx<'_>,
    origin: &Origin<'_>,
    row: &MailRow,
) -> Result<Option<ClaimedMail>, ActionError> {
    let realm = realms::by_id(tx, origin.realm_id)?.ok_or(DbError::NoRow)?;
    let Some((kind, recipient)) =
        MailKind::by_name(&row.kind).zip(recipient(tx, origin.realm_id, row)?)
    else {
        return Ok(None);
    };
    // More attempts than that were claimed only if the server ended in each of them.
    if realm.deactivated || row.attempts > kind.most_attempts() {
        return Ok(None);
    }
    let detail: Value = serde_json::from_str(&row.detail)
        .map_err(|error| ActionError::Internal(format!("the detail of a mail: {error}")))?;
    let content = match kind {
        MailKind::Invitation => invitation::invitation(tx, origin, &detail)?,
        MailKind::InvitationReminder => invitation::reminder(tx, origin, &detail)?,
        MailKind::PasswordReset => account::password_reset(tx, origin, row)?,
        MailKind::PasswordChanged => Some(account::password_changed(row)),
        MailKind::AddressConfirmation => account::address_confirmation(tx, origin, row)?,
        MailKind::AddressChanged => account::address_changed(tx, origin, row, &detail)?,
        MailKind::NewSignIn => account::new_sign_in(tx, origin, row, &detail)?,
        MailKind::MissedMessages => missed::missed_messages(tx, origin, row)?,
        MailKind::Digest => digest::digest(tx, origin, row)?,
        MailKind::SecondFactorChanged => Some(account::second_factor_changed(row, &detail)),
    };
    let Some(content) = content else {
        return Ok(None);
    };
    let unsubscription = match row.user_id {
        Some(user_id) => unsubscription_key(origin.links.secret, user_id, kind, row.created)?,
        None => None,
    };
    let (to, to_name) = content.to.unwrap_or(recipient);
    let (thread, mut values) = (content.thread, content.values);
    values.insert("organization".to_owned(), realm.name.into());
    values.insert("logo".to_owned(), logo(tx, origin)?.into());
    Ok(Some(ClaimedMail {
        id: row.id,
        attempt: row.attempts,
        kind,
        to,
        to_name,
        message_id: hexadecimal(&row.nonce),
        thread,
        unsubscription,
        values,
    }))
}

/// The address of the organization's logo, or else of its icon; empty where it has neither.
fn logo(db: &dyn Db, origin: &Origin<'_>) -> Result<String, ActionError> {
    let pictures = pictures::of_realm(db, origin.realm_id)?;
    let own = [RealmPicture::Logo, RealmPicture::Icon].map(|picture| {
        let shown = shown(origin.realm_id, &pictures, picture);
        shown.is_own().then_some(shown.url)
    });
    let path = own.into_iter().flatten().next();
    Ok(path.map_or_else(String::new, |path| format!("{}{path}", origin.links.site)))
}

/// Address and name of the recipient; none for an account that gets no mail any more.
fn recipient(
    db: &dyn Db,
    realm_id: RealmId,
    row: &MailRow,
) -> Result<Option<(String, Option<String>)>, ActionError> {
    let Some(user_id) = row.user_id else {
        return Ok(row.address.clone().map(|address| (address, None)));
    };
    let user = users::by_id(db, realm_id, user_id)?;
    let user = user.filter(|user| user.is_active && !user.is_bot);
    Ok(user.map(|user| (user.delivery_email, Some(user.full_name))))
}
