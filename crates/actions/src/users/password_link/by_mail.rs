//! The link in the mail to a person who has forgotten the password.

use serde_json::json;
use spindle_domain::RealmId;
use spindle_domain::limits::PASSWORD_RESET_SECONDS;
use spindle_store::mails::MailRow;
use spindle_store::users::{self, UserRow};
use spindle_store::{WriteTx, audit, sign_in_links};

use super::PasswordLink;
use crate::ActionError;
use crate::account::link_keys::{self, Purpose};
use crate::account::{secrets, ways};
use crate::text::fold_name;

/// Finds the account of a mail that was asked for, and makes its link at the first attempt to send it. None for an
/// address without an active person, and when the link was used or has ended.
pub(crate) fn mailed_link(
    tx: &WriteTx<'_>,
    realm_id: RealmId,
    now: i64,
    mail: &MailRow,
    secret: &[u8],
) -> Result<Option<(UserRow, PasswordLink)>, ActionError> {
    let until = mail.created + PASSWORD_RESET_SECONDS;
    let folded = fold_name(mail.address.as_deref().unwrap_or_default());
    let user = users::by_email(tx, realm_id, &folded)?;
    let may_have_one = |user: &UserRow| {
        user.is_active && !user.is_bot && fold_name(&user.delivery_email) == folded && now < until
    };
    let has_password = ways::read(tx, realm_id)?.has_password();
    let Some(user) = user.filter(|user| has_password && may_have_one(user)) else {
        return Ok(None);
    };
    let token = link_keys::key(secret, Purpose::PasswordReset, &mail.nonce)?;
    let hash = secrets::hash_api_key(&token);
    if mail.attempts == 1 {
        sign_in_links::insert_own(tx, user.id, &hash, now, until)?;
        let (own, data) = (Some(user.id), json!({"until": until}).to_string());
        audit::append(
            tx,
            realm_id,
            now,
            None,
            own,
            "user_password_link_mailed",
            &data,
        )?;
    } else if sign_in_links::password_link(tx, &hash)?.is_none() {
        return Ok(None);
    }
    Ok(Some((user, PasswordLink { token, until })))
}
