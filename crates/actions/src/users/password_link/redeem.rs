//! Sets a new password with a link (docs/protocol/sessions.md#use_password_link).
//!
//! The password, the end of all credentials, the notices and the session are one transaction with the end of the link.

use serde_json::json;
use spindle_domain::errors::ClientError;
use spindle_domain::policy::may_make_password_link;
use spindle_domain::{MailKind, RealmId, UserId};
use spindle_store::mails::Recipient;
use spindle_store::sign_in_links::{self, PasswordLink};
use spindle_store::users::{self, UserRow};
use spindle_store::{Connection, Db, audit, realms};

use super::notices::{Maker, tell};
use crate::ActionError;
use crate::account::manage_account::{Change, access_account};
use crate::account::outbox::{self, Mail};
use crate::account::passwords::check_and_hash;
use crate::account::revoke::revoke_all;
use crate::account::secrets;
use crate::account::sessions::{NewIn, NewSession, log_in, write_session};
use crate::account::ways::check_password_is_on;
use crate::account::{Factor, SignInOrigin, act_as, second_factor};

/// The account whose password was set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ByLink {
    pub user_id: UserId,
    /// The session in the browser that asked for one.
    pub session: Option<NewSession>,
}

/// A link with what its use needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LinkProof<'a> {
    pub token: &'a str,
    pub new_password: &'a str,
    /// Where the account has one.
    pub second_factor: Option<Factor<'a>>,
}

/// Uses up a link at `now` (UNIX seconds): sets the password and ends all sessions, keys and event queues of the
/// account. `browser` describes the browser in which a session begins; none: no session.
///
/// # Errors
/// [`ActionError::BadSignInLink`] for a link that never existed, was used, is too old, or whose maker may no longer make
/// it; [`ActionError::BadRequest`] for a password that is too short, too long or too easy to guess, which leaves the
/// link as it is; [`ClientError::RealmDeactivated`]; those of the second factor, which leave the link as it is, too.
pub fn use_password_link(
    db: &dyn Connection,
    realm_id: RealmId,
    now: i64,
    proof: LinkProof<'_>,
    browser: Option<SignInOrigin<'_>>,
) -> Result<ByLink, ActionError> {
    let hash = secrets::hash_api_key(proof.token);
    // Before the password is hashed, which takes long, so that a guessed token costs one statement.
    let link = sign_in_links::password_link(db, &hash)?.ok_or(ActionError::BadSignInLink)?;
    let (user, _) = check(db, realm_id, now, link)?;
    let own = [user.full_name.as_str(), user.delivery_email.as_str()];
    let password_hash = check_and_hash(proof.new_password, &own)?;
    second_factor::pass(db, (&user).into(), now, proof.second_factor)?;
    let (done, last_login) = Change::emitting(db, None, realm_id, now, |change| {
        // The row is deleted as it is read: of two concurrent requests, the second finds nothing.
        let link = sign_in_links::take_password_link(change.tx, &hash)?;
        let link = link.ok_or(ActionError::BadSignInLink)?;
        let (user, maker) = check(change.tx, realm_id, now, link)?;
        let (tx, user_id) = (change.tx, user.id);
        users::set_password_hash(tx, user_id, &password_hash)?;
        if matches!(maker, Maker::Mail) {
            users::confirm_email(tx, user_id)?;
        }
        let ended = revoke_all(tx, user_id)?;
        change.events.push(ended);
        let data = json!({"link_made_by": link.made_by}).to_string();
        let own = Some(user_id);
        let kind = "user_password_set_by_link";
        audit::append(tx, realm_id, now, own, own, kind, &data)?;
        // Nothing can have been taken from an account that was never used.
        if user.last_login.is_some() {
            tell(change, &user, &maker)?;
            let mail = Mail {
                kind: MailKind::PasswordChanged,
                cause: format!("{user_id} {now}"),
                to: Recipient::Account(user_id),
                detail: json!({}),
                due: now,
            };
            outbox::write(tx, realm_id, now, &mail)?;
        }
        let session = match browser {
            Some(browser) => {
                let by = NewIn::new(browser, "password_link");
                Some(write_session(tx, realm_id, now, user_id, by)?.0)
            }
            None => None,
        };
        Ok((ByLink { user_id, session }, user.last_login))
    })?;
    log_in(db, now, done.user_id, last_login)?;
    Ok(done)
}

/// The account of a link that still works, and who made it. An owner or administrator must still be allowed to make it:
/// the account may have got a higher role, and the maker may have lost theirs.
fn check(
    db: &dyn Db,
    realm_id: RealmId,
    now: i64,
    link: PasswordLink,
) -> Result<(UserRow, Maker), ActionError> {
    if now >= link.until {
        return Err(ActionError::BadSignInLink);
    }
    let realm = realms::by_id(db, realm_id)?.ok_or(ActionError::BadSignInLink)?;
    if realm.deactivated {
        return Err(ClientError::RealmDeactivated.into());
    }
    let maker = match link.made_by {
        None => Maker::Operator,
        Some(own) if own == link.user_id => Maker::Mail,
        Some(other) => Maker::Person(Box::new(act_as(db, other).map_err(no_longer)?)),
    };
    // The operator's link is the way in when no other one is left.
    if !matches!(maker, Maker::Operator) {
        check_password_is_on(db, realm_id)?;
    }
    let acting = match &maker {
        Maker::Person(actor) => Some(&**actor),
        Maker::Operator | Maker::Mail => None,
    };
    let rule = may_make_password_link;
    let target = access_account(db, acting, realm_id, link.user_id, rule);
    let user = target.map_err(no_longer)?.row;
    if !user.is_active {
        return Err(ActionError::BadSignInLink);
    }
    Ok((user, maker))
}

fn no_longer(error: ActionError) -> ActionError {
    match error {
        ActionError::Denied(_) | ActionError::Client(_) => ActionError::BadSignInLink,
        other => other,
    }
}
