//! Authentication: from the credentials of a request to an [`Actor`], in one statement.
//!
//! The first request of an account with its key is its first login
//! (docs/protocol/conventions.md#authentication, `date_joined`): only then is anything written.

use spindle_domain::UserId;
use spindle_domain::errors::ClientError;
use spindle_events::kinds;
use spindle_store::keys::CallerRow;
use spindle_store::{Connection, Db, DbError, Outcome, audit, keys, users};

use crate::access::who_sees::who_sees_user;
use crate::account::keys::is_due;
use crate::account::secrets;
use crate::text::fold_name;
use crate::{ActionError, Actor, change};

/// The caller of a request with a key or in a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Authenticated {
    /// The account, which knows its key or session.
    pub actor: Actor,
    /// Whether it is time to note that the key or session is used, see [`note_key_use`](crate::account::note_key_use)
    /// and [`renew_session`](crate::account::renew_session).
    pub is_renewal_due: bool,
}

/// Finds the account behind `key`, whose API email or real address must be `user_name`
/// (compared without regard to case). `now` is in UNIX seconds. See
/// docs/protocol/conventions.md#authentication.
///
/// # Errors
/// [`ActionError::WrongCredentials`], also for a key that has expired; [`ClientError::UserDeactivated`] and
/// [`ClientError::RealmDeactivated`] only with a valid key.
pub fn authenticate(
    db: &dyn Connection,
    user_name: &str,
    key: &str,
    now: i64,
) -> Result<Authenticated, ActionError> {
    let hash = secrets::hash_of_key(key).ok_or(ActionError::WrongCredentials)?;
    let found = keys::caller_by_hash(db, &hash)?
        .filter(|found| secrets::is_equal(&found.caller.hash, &hash))
        .filter(|found| found.ends.is_none_or(|ends| now < ends))
        .ok_or(ActionError::WrongCredentials)?;
    let is_renewal_due = is_due(&found, now);
    let row = &found.caller;
    let user_name = fold_name(user_name);
    if user_name != row.email_folded && user_name != row.delivery_email_folded {
        return Err(ActionError::WrongCredentials);
    }
    check_account(row)?;
    let logs_in = row.last_login.is_none() && row.bot_type.is_none();
    let mut actor = Actor::with_key(found);
    if logs_in {
        match record_first_login(db, &mut actor, now) {
            // A full disk must not stop a client from reading: a later request is the first login.
            Err(ActionError::Store(DbError::Full(_))) => {}
            recorded => recorded?,
        }
    }
    Ok(Authenticated {
        actor,
        is_renewal_due,
    })
}

/// An active account as the caller of an operation, for commands of the operator that act in its
/// name.
///
/// # Errors
/// [`ClientError::UserDeactivated`], also when there is no such account;
/// [`ClientError::RealmDeactivated`].
pub fn act_as(db: &dyn Db, user_id: UserId) -> Result<Actor, ActionError> {
    let row = keys::caller_by_id(db, user_id)?.ok_or(ClientError::UserDeactivated)?;
    check_account(&row)?;
    let mut actor = Actor::from_row(row);
    actor.is_operator = true;
    Ok(actor)
}

/// The account behind a signed link of a mail, as the caller of what the link does.
///
/// # Errors
/// [`ActionError::BadSignInLink`] for an account that may not act.
pub(crate) fn act_by_link(db: &dyn Db, user_id: UserId) -> Result<Actor, ActionError> {
    act_as(db, user_id).map_err(|error| match error {
        ActionError::Client(_) => ActionError::BadSignInLink,
        other => other,
    })
}

/// Whether an account with a valid key may act.
pub(crate) fn check_account(row: &CallerRow) -> Result<(), ActionError> {
    if row.realm_deactivated {
        return Err(ClientError::RealmDeactivated.into());
    }
    if !row.is_active {
        return Err(ClientError::UserDeactivated.into());
    }
    Ok(())
}

/// Makes a stub a regular account and lets it have joined now. Bots do not log in.
pub(crate) fn record_first_login(
    db: &dyn Connection,
    actor: &mut Actor,
    now: i64,
) -> Result<(), ActionError> {
    let (realm_id, user_id) = (actor.realm_id, actor.user_id);
    let (is_bot, was_stub) = (actor.is_bot, actor.is_imported_stub);
    let date_joined = change::if_needed(db, realm_id, now, |tx| {
        let Some(date_joined) = users::record_first_login(tx, user_id, now)? else {
            return Ok(Outcome::Unchanged(None));
        };
        audit::append(
            tx,
            realm_id,
            now,
            Some(user_id),
            Some(user_id),
            "user_first_login",
            "{}",
        )?;
        let audience = who_sees_user(tx, realm_id, user_id, is_bot)?;
        let update = |change| kinds::realm_user_update(user_id, change, audience.clone());
        let mut events = Vec::new();
        if was_stub {
            events.push(update(kinds::UserChange::IsImportedStub(false)));
        }
        events.push(update(kinds::UserChange::DateJoined(date_joined.clone())));
        Ok(change::outcome(Some(date_joined), events))
    })?;
    if let Some(date_joined) = date_joined {
        actor.is_imported_stub = false;
        actor.date_joined = date_joined;
    }
    Ok(())
}
