//! Signs a person in: by a password, or by a link that works once.

use serde_json::json;
use spindle_domain::errors::ClientError;
use spindle_domain::limits::quotas::Quota;
use spindle_domain::limits::{
    IDENTITY_LINK_SECONDS, MAX_SESSION_CLIENT_LENGTH, SIGN_IN_LINK_SECONDS,
};
use spindle_domain::text::first_chars;
use spindle_domain::{MailKind, RealmId, SessionId, UserId};
use spindle_events::{Event, credentials_ended};
use spindle_store::mails::Recipient;
use spindle_store::users::UserRow;
use spindle_store::{Connection, WriteTx, audit, keys, realms, sessions, sign_in_links, users};

use super::expired_before;
use crate::account::authenticate::record_first_login;
use crate::account::origin::{SignInOrigin, record_refusal};
use crate::account::outbox::{self, Mail};
use crate::account::proof::Proven;
use crate::account::secrets;
use crate::{ActionError, Actor, change};

/// A session that was just begun.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewSession {
    /// The content of the cookie; it cannot be read again.
    pub token: String,
    pub session_id: SessionId,
    pub user_id: UserId,
}

/// Checks a password and begins a session at `now` (UNIX seconds). `user_name` is the API email or the
/// real address.
///
/// # Errors
/// As [`fetch_api_key`](crate::account::fetch_api_key).
pub fn sign_in(
    db: &dyn Connection,
    realm_id: RealmId,
    now: i64,
    user_name: &str,
    password: &str,
    origin: SignInOrigin<'_>,
) -> Result<NewSession, ActionError> {
    let begun = begin(db, realm_id, now, user_name, password, origin);
    let cause = (origin, "create_session");
    record_refusal(db, realm_id, now, user_name, cause, &begun);
    let (session, last_login) = begun?;
    log_in(db, now, session.user_id, last_login)?;
    Ok(session)
}

fn begin(
    db: &dyn Connection,
    realm_id: RealmId,
    now: i64,
    user_name: &str,
    password: &str,
    origin: SignInOrigin<'_>,
) -> Result<(NewSession, Option<i64>), ActionError> {
    let proven = Proven::by_password(db, realm_id, user_name, password)?;
    let session = change::if_needed(db, realm_id, now, |tx| {
        proven.confirm(tx)?;
        announce(tx, now, &proven.user, origin.client)?;
        let by = (origin, "password", None);
        let (session, ended) = write_session(tx, realm_id, now, proven.user.id, by)?;
        Ok(change::outcome(session, ended))
    })?;
    Ok((session, proven.user.last_login))
}

/// Uses up a sign-in link and begins a session at `now` (UNIX seconds).
///
/// # Errors
/// [`ActionError::BadSignInLink`] for one that never existed, was used or is too old, which get
/// the same error; with a valid one [`ClientError::UserDeactivated`] or [`ClientError::RealmDeactivated`].
pub fn sign_in_by_link(
    db: &dyn Connection,
    realm_id: RealmId,
    now: i64,
    token: &str,
    origin: SignInOrigin<'_>,
) -> Result<NewSession, ActionError> {
    let hash = secrets::hash_api_key(token);
    let (session, last_login) = change::if_needed(db, realm_id, now, |tx| {
        // The row is deleted as it is read: of two concurrent requests, the second finds nothing.
        let link = sign_in_links::take(tx, &hash)?.ok_or(ActionError::BadSignInLink)?;
        let user_id = link.user_id;
        let lasts = match link.provider {
            Some(_) => IDENTITY_LINK_SECONDS,
            None => SIGN_IN_LINK_SECONDS,
        };
        if now.saturating_sub(link.created) >= lasts {
            return Err(ActionError::BadSignInLink);
        }
        let user = users::by_id(tx, realm_id, user_id)?.ok_or(ActionError::BadSignInLink)?;
        let realm = realms::by_id(tx, realm_id)?.ok_or(ActionError::BadSignInLink)?;
        if realm.deactivated {
            return Err(ClientError::RealmDeactivated.into());
        }
        if !user.is_active {
            return Err(ClientError::UserDeactivated.into());
        }
        announce(tx, now, &user, origin.client)?;
        let by = match link.provider {
            Some(_) => "company_account",
            None => "sign_in_link",
        };
        let by = (origin, by, link.provider.as_deref());
        let (session, ended) = write_session(tx, realm_id, now, user_id, by)?;
        Ok(change::outcome((session, user.last_login), ended))
    })?;
    log_in(db, now, session.user_id, last_login)?;
    Ok(session)
}

/// Mails the person about a program that the account has not signed in with, except for the first one. Whether the person
/// wants such mails is decided when it is sent.
pub(crate) fn announce(
    tx: &WriteTx<'_>,
    now: i64,
    user: &UserRow,
    client: &str,
) -> Result<(), ActionError> {
    let client = first_chars(client, MAX_SESSION_CLIENT_LENGTH);
    if user.is_bot || user.last_login.is_none() || sessions::knows_client(tx, user.id, client)? {
        return Ok(());
    }
    let mail = Mail {
        kind: MailKind::NewSignIn,
        cause: format!("{} {now}", user.id),
        to: Recipient::Account(user.id),
        detail: json!({"client": client}),
        due: now,
    };
    outbox::write(tx, user.realm_id, now, &mail).map(drop)
}

/// Starts a session; `by` is what proved the account, `provider` the identity provider that did. Beyond the limit it ends the least recently used one, which is an
/// event.
pub(crate) fn write_session(
    tx: &WriteTx<'_>,
    realm_id: RealmId,
    now: i64,
    user_id: UserId,
    (origin, by, provider): (SignInOrigin<'_>, &'static str, Option<&str>),
) -> Result<(NewSession, Option<Event>), ActionError> {
    let token = secrets::new_token()?;
    let hash = secrets::hash_api_key(&token);
    let client = first_chars(origin.client, MAX_SESSION_CLIENT_LENGTH);
    let bounds = (expired_before(now), Quota::Sessions.limit());
    let (session_id, replaces) =
        sessions::insert(tx, user_id, &hash, now, (client, provider), bounds)?;
    let own = Some(user_id);
    let data = origin.data([("session_id", json!(session_id)), ("by", json!(by))]);
    let data = data.to_string();
    audit::append(tx, realm_id, now, own, own, "user_signed_in", &data)?;
    let session = NewSession {
        token,
        session_id,
        user_id,
    };
    Ok((session, replaces.then(|| credentials_ended(user_id))))
}

/// Signing in is a login, and may be the first one.
pub(crate) fn log_in(
    db: &dyn Connection,
    now: i64,
    user_id: UserId,
    last_login: Option<i64>,
) -> Result<(), ActionError> {
    if last_login.is_none()
        && let Some(row) = keys::caller_by_id(db, user_id)?
    {
        record_first_login(db, &mut Actor::from_row(row), now)?;
    }
    Ok(())
}
