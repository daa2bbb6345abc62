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
use spindle_store::sessions::{self, Begun};
use spindle_store::sign_in_links::{self, SignInLink};
use spindle_store::users::UserRow;
use spindle_store::{Connection, Db, DbError, WriteTx, audit, keys, realms, users};

use super::expired_before;
use crate::account::authenticate::record_first_login;
use crate::account::origin::{SignInOrigin, record_refusal};
use crate::account::outbox::{self, Mail};
use crate::account::proof::Proven;
use crate::account::{Factor, second_factor, secrets};
use crate::actor::session_seconds;
use crate::{ActionError, Actor, change};

/// A session that was just begun.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewSession {
    /// The content of the cookie; it cannot be read again.
    pub token: String,
    pub session_id: SessionId,
    pub user_id: UserId,
    /// Seconds for which it lasts after its last use.
    pub lasts: i64,
}

/// How a person proves who they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PasswordProof<'a> {
    /// The API email or the real address.
    pub user_name: &'a str,
    pub password: &'a str,
    /// Where the account has one.
    pub second_factor: Option<Factor<'a>>,
}

/// Checks a password and, where there is one, the second factor, and begins a session at `now` (UNIX seconds). A person who
/// must have a second factor and has none gets a session in which they can set one up, and nothing else.
///
/// # Errors
/// As [`fetch_api_key`](crate::account::fetch_api_key).
pub fn sign_in(
    db: &dyn Connection,
    realm_id: RealmId,
    now: i64,
    proof: PasswordProof<'_>,
    origin: SignInOrigin<'_>,
) -> Result<NewSession, ActionError> {
    let begun = begin(db, realm_id, now, proof, origin);
    recorded(db, realm_id, now, (origin, proof.user_name), begun)
}

/// Records that a session has begun, with the last login before it, or that it was refused. `user_name` is what the person
/// has sent.
pub(super) fn recorded(
    db: &dyn Connection,
    realm_id: RealmId,
    now: i64,
    (origin, user_name): (SignInOrigin<'_>, &str),
    begun: Result<(NewSession, Option<i64>), ActionError>,
) -> Result<NewSession, ActionError> {
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
    proof: PasswordProof<'_>,
    origin: SignInOrigin<'_>,
) -> Result<(NewSession, Option<i64>), ActionError> {
    let proven = Proven::by_password(db, realm_id, proof.user_name, proof.password)?;
    second_factor::pass(db, (&proven.user).into(), now, proof.second_factor)?;
    let session = change::if_needed(db, realm_id, now, |tx| {
        proven.confirm(tx)?;
        announce(tx, now, &proven.user, origin.client)?;
        let by = NewIn::new(origin, "password");
        let (session, ended) = write_session(tx, realm_id, now, proven.user.id, by)?;
        Ok(change::outcome(session, ended))
    })?;
    Ok((session, proven.user.last_login))
}

/// Uses up a sign-in link and begins a session at `now` (UNIX seconds). Where the account has a second factor, its code is
/// needed as well, unless the link proves one; until it is right, the link stays as it is.
///
/// # Errors
/// [`ActionError::BadSignInLink`] for one that never existed, was used or is too old, which get
/// the same error; with a valid one [`ClientError::UserDeactivated`] or [`ClientError::RealmDeactivated`], and those of
/// the second factor.
pub fn sign_in_by_link(
    db: &dyn Connection,
    realm_id: RealmId,
    now: i64,
    (token, factor): (&str, Option<Factor<'_>>),
    origin: SignInOrigin<'_>,
) -> Result<NewSession, ActionError> {
    let hash = secrets::hash_api_key(token);
    let link = sign_in_links::find(db, &hash)?.ok_or(ActionError::BadSignInLink)?;
    let user = check_link(db, realm_id, now, &link)?;
    if !link.proves_second_factor {
        second_factor::pass(db, (&user).into(), now, factor)?;
    }
    let (session, last_login) = change::if_needed(db, realm_id, now, |tx| {
        // The row is deleted as it is read: of two concurrent requests, the second finds nothing.
        let link = sign_in_links::take(tx, &hash)?.ok_or(ActionError::BadSignInLink)?;
        let user = check_link(tx, realm_id, now, &link)?;
        announce(tx, now, &user, origin.client)?;
        let by = match link.provider {
            Some(_) => "company_account",
            None => "sign_in_link",
        };
        let by = NewIn {
            proves_second_factor: link.proves_second_factor,
            provider: link.provider.as_deref(),
            ..NewIn::new(origin, by)
        };
        let (session, ended) = write_session(tx, realm_id, now, user.id, by)?;
        Ok(change::outcome((session, user.last_login), ended))
    })?;
    log_in(db, now, session.user_id, last_login)?;
    Ok(session)
}

/// The account of a link that still works.
fn check_link(
    db: &dyn Db,
    realm_id: RealmId,
    now: i64,
    link: &SignInLink,
) -> Result<UserRow, ActionError> {
    let lasts = match link.provider {
        Some(_) => IDENTITY_LINK_SECONDS,
        None => SIGN_IN_LINK_SECONDS,
    };
    if now.saturating_sub(link.created) >= lasts {
        return Err(ActionError::BadSignInLink);
    }
    let user = users::by_id(db, realm_id, link.user_id)?.ok_or(ActionError::BadSignInLink)?;
    let realm = realms::by_id(db, realm_id)?.ok_or(ActionError::BadSignInLink)?;
    if realm.deactivated {
        return Err(ClientError::RealmDeactivated.into());
    }
    if !user.is_active {
        return Err(ClientError::UserDeactivated.into());
    }
    Ok(user)
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

/// Where and how a session begins.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NewIn<'a> {
    pub(crate) origin: SignInOrigin<'a>,
    /// What proved the account, as the audit log names it.
    pub(crate) by: &'static str,
    /// The identity provider that has identified the person.
    pub(crate) provider: Option<&'a str>,
    /// Whether another service has checked a second factor.
    pub(crate) proves_second_factor: bool,
}

impl<'a> NewIn<'a> {
    pub(crate) const fn new(origin: SignInOrigin<'a>, by: &'static str) -> Self {
        Self {
            origin,
            by,
            provider: None,
            proves_second_factor: false,
        }
    }
}

/// Starts a session. Beyond the limit it ends the least recently used one, which is an
/// event.
pub(crate) fn write_session(
    tx: &WriteTx<'_>,
    realm_id: RealmId,
    now: i64,
    user_id: UserId,
    new: NewIn<'_>,
) -> Result<(NewSession, Option<Event>), ActionError> {
    let NewIn { origin, by, .. } = new;
    let realm = realms::by_id(tx, realm_id)?.ok_or(DbError::NoRow)?;
    let lasts = session_seconds(&realm.settings);
    let token = secrets::new_token()?;
    let hash = secrets::hash_api_key(&token);
    let client = first_chars(origin.client, MAX_SESSION_CLIENT_LENGTH);
    let bounds = (expired_before(now, lasts), Quota::Sessions.limit());
    let begun = Begun {
        client,
        provider: new.provider,
        proves_second_factor: new.proves_second_factor,
    };
    let (session_id, replaces) = sessions::insert(tx, user_id, &hash, now, begun, bounds)?;
    let own = Some(user_id);
    let data = origin.data([("session_id", json!(session_id)), ("by", json!(by))]);
    let data = data.to_string();
    audit::append(tx, realm_id, now, own, own, "user_signed_in", &data)?;
    let session = NewSession {
        token,
        session_id,
        user_id,
        lasts,
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
