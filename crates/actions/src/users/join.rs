//! Joins the organization: creates an account by an invitation, or without one where it is open.
//!
//! Account, key, session, groups, channels, welcome and the end of the invitation are one transaction, so concurrent
//! requests with an invitation of one address create one account.

use serde_json::json;
use spindle_domain::RealmId;
use spindle_domain::UserId;
use spindle_store::{Connection, Db, audit, realms, sponsors};

use crate::ActionError;
use crate::account::SignInOrigin;
use crate::account::manage_account::Change;
use crate::account::sessions::{NewIn, NewSession, write_session};
use crate::account::ways::check_password_is_on;
use crate::invitations::entrance::{Entrance, Invited};
use crate::messages::Wording;
use crate::organization::domains::{admission, not_admitted};
use crate::text::{check_name_is_free, fold_name};
use crate::users::arrival::Arrival;
use crate::users::create_user::{CreatedUser, NewAccount, Prepared, write_account};

/// What a person sees of the organization before they join.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvitationPreview {
    /// Name of the organization.
    pub realm_name: String,
    /// The invited address; `None` when the user chooses one.
    pub email: Option<String>,
    /// Name of the inviter of that address.
    pub invited_by: Option<String>,
}

/// The input of a person who joins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JoinInput<'a> {
    /// Key of the invitation, if they have one.
    pub key: Option<&'a str>,
    /// Address; needed where the invitation names none.
    pub email: Option<&'a str>,
    pub full_name: &'a str,
    /// Password.
    pub password: &'a str,
    /// The browser in which a session begins; `None` means no session.
    pub browser: Option<SignInOrigin<'a>>,
}

/// The account of a person who has joined.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Newcomer {
    /// The account with its key.
    pub account: CreatedUser,
    /// The session in their browser.
    pub session: Option<NewSession>,
}

/// Describes the organization at `now` (UNIX seconds) to a person with the key of an invitation, or
/// without one.
///
/// # Errors
/// [`ActionError::BadRequest`] when they cannot join; `ClientError::RealmDeactivated`.
pub fn preview_invitation(
    db: &dyn Db,
    realm_id: RealmId,
    now: i64,
    secret: &[u8],
    key: Option<&str>,
) -> Result<InvitationPreview, ActionError> {
    let entrance = Entrance::find(db, realm_id, now, secret, key)?;
    let realm = realms::by_id(db, realm_id)?.ok_or(spindle_store::DbError::NoRow)?;
    let (email, invited_by) = match entrance {
        Entrance::Invited(invited) if !invited.row.is_multiuse() => {
            (invited.row.email, Some(invited.inviter.full_name))
        }
        _ => (None, None),
    };
    Ok(InvitationPreview {
        realm_name: realm.name,
        email,
        invited_by,
    })
}

/// Creates the account at `now` (UNIX seconds).
///
/// # Errors
/// As [`preview_invitation`]; [`ActionError::BadRequest`] for a missing, malformed or taken
/// address, one that the organization does not admit or that was not invited, a bad or taken
/// name, and a bad password; `ClientError::PasswordAuthDisabled`.
pub fn join(
    db: &dyn Connection,
    realm_id: RealmId,
    now: i64,
    secret: &[u8],
    input: JoinInput<'_>,
) -> Result<Newcomer, ActionError> {
    check_password_is_on(db, realm_id)?;
    // Before the password is hashed, which takes its time; and once more in the transaction.
    let entrance = Entrance::find(db, realm_id, now, secret, input.key)?;
    let account = Prepared::new(&NewAccount {
        email: address(&entrance, input.email)?,
        full_name: input.full_name.to_owned(),
        role: Some(entrance.role()),
        password: Some(input.password.to_owned()),
        ..NewAccount::default()
    })?;
    let (user_id, email, session) = Change::emitting(db, None, realm_id, now, |change| {
        let entrance = Entrance::find(change.tx, realm_id, now, secret, input.key)?;
        admission(change.tx, realm_id)?
            .check(&account.email)
            .map_err(|cause| ActionError::bad_request(not_admitted(cause)))?;
        check_name_is_free(change.tx, realm_id, &account.full_name, None)?;
        let beginning = entrance.beginning(change.tx, realm_id)?;
        let (user_id, email) = write_account(change, &account, &Arrival::Joined(beginning))?;
        let mut invitation_id = None;
        if let Entrance::Invited(invited) = &entrance {
            invitation_id = Some(invited.row.id);
            if invited.is_sponsored {
                sponsors::set(change.tx, user_id, invited.inviter.user_id)?;
            }
            notify_inviter(change, invited, &account.full_name, user_id)?;
        }
        let data = json!({"invitation_id": invitation_id}).to_string();
        let (tx, own) = (change.tx, Some(user_id));
        audit::append(tx, realm_id, now, own, own, "user_joined", &data)?;
        let session = match input.browser {
            Some(browser) => {
                let by = NewIn::new(browser, "invitation");
                Some(write_session(tx, realm_id, now, user_id, by)?.0)
            }
            None => None,
        };
        Ok((user_id, email, session))
    })?;
    let account = CreatedUser {
        user_id,
        email,
        api_key: account.api_key,
    };
    Ok(Newcomer { account, session })
}

/// The address of the account: the invited one, or the one that was sent.
fn address(entrance: &Entrance, sent: Option<&str>) -> Result<String, ActionError> {
    let invited = match entrance {
        Entrance::Invited(invited) => invited.row.email.as_deref(),
        Entrance::Open => None,
    };
    match (invited, sent) {
        (Some(invited), Some(sent)) if fold_name(invited) != fold_name(sent) => Err(
            ActionError::bad_request("This invitation is for another address"),
        ),
        (Some(address), _) | (None, Some(address)) => Ok(address.to_owned()),
        (None, None) => Err(ActionError::bad_request("email is required")),
    }
}

/// Notifies the inviter that the invited person has joined, if the invitation asks for it.
fn notify_inviter(
    change: &mut Change<'_, '_>,
    invited: &Invited,
    full_name: &str,
    user_id: UserId,
) -> Result<(), ActionError> {
    if !invited.row.notifies_inviter {
        return Ok(());
    }
    let mut wording = Wording::default();
    let who = wording.person(full_name, user_id);
    wording.add(format!("{who} has accepted your invitation."));
    change.notify(invited.inviter.user_id, wording)
}
