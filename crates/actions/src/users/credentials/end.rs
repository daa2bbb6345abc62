//! Ends sessions, API keys or a company account of an account, with a notice to the person.

use serde_json::{Value, json};
use spindle_domain::policy::may_end_credentials;
use spindle_domain::{ApiKeyId, IdentityId, SessionId, UserId};
use spindle_events::credentials_ended;
use spindle_store::users::UserRow;
use spindle_store::{Connection, Freeing, WriteTx, identities, keys, sessions};

use crate::account::manage_account::Change;
use crate::account::sessions::end_all;
use crate::messages::Wording;
use crate::{ActionError, Actor};

/// What ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndedCredentials {
    /// One session.
    Session(SessionId),
    /// All sessions, and the link with which a session could begin.
    Sessions,
    /// One API key.
    ApiKey(ApiKeyId),
    /// All API keys.
    ApiKeys,
    /// The connection with a company account, even if it is the last way to sign in. Sessions stay.
    Identity(IdentityId),
}

/// Ends sessions, keys or a company account of another account at `now` (UNIX seconds).
///
/// # Errors
/// [`ActionError::Denied`] when there is no such account, or `actor` is no owner; [`ActionError::BadRequest`] for the
/// account of `actor`, and where there is no such session, key or company account.
pub fn end_credentials(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    user_id: UserId,
    what: EndedCredentials,
) -> Result<(), ActionError> {
    let db = &Freeing(db);
    Change::emitting(db, Some(actor), actor.realm_id, now, |change| {
        let user = change.access(user_id, may_end_credentials)?.row;
        if user.id == actor.user_id {
            return Err(ActionError::bad_request(
                "End your own sessions in your settings",
            ));
        }
        let ended = end(change.tx, user.id, what)?;
        change.events.push(credentials_ended(user.id));
        change.audit(Some(user.id), ended.kind, &ended.data)?;
        if user.is_bot || !user.is_active {
            return Ok(());
        }
        notify(change, &user, actor, &ended)
    })
}

/// What the audit log and the person read about it.
struct Ended {
    kind: &'static str,
    data: Value,
    /// The notice, up to the name of the acting person.
    text: &'static str,
    /// What the person does next.
    next: &'static str,
}

const SIGN_IN_AGAIN: &str = "Sign in again to go on.";

fn end(tx: &WriteTx<'_>, user_id: UserId, what: EndedCredentials) -> Result<Ended, ActionError> {
    let missing = |what: &str| ActionError::bad_request(format!("There is no such {what}"));
    let (kind, data, text) = match what {
        EndedCredentials::Session(session_id) => {
            if !sessions::delete(tx, user_id, session_id)? {
                return Err(missing("session"));
            }
            let data = json!({"session_id": session_id});
            let text = "One of your browsers was signed out by";
            ("user_session_ended", data, text)
        }
        EndedCredentials::Sessions => {
            end_all(tx, user_id, None)?;
            let text = "All of your browsers were signed out by";
            ("user_sessions_ended", json!({}), text)
        }
        EndedCredentials::ApiKey(key_id) => {
            let ended = keys::delete(tx, user_id, key_id)?.ok_or_else(|| missing("API key"))?;
            let data = json!({"key_id": ended.id, "name": ended.name});
            let text = "One of your API keys was ended by";
            ("user_api_key_ended", data, text)
        }
        EndedCredentials::ApiKeys => {
            keys::delete_all(tx, user_id)?;
            let text = "All API keys of your account were revoked by";
            ("user_api_keys_revoked", json!({}), text)
        }
        EndedCredentials::Identity(id) => {
            let all = identities::list(tx, user_id)?;
            let found = all.into_iter().find(|one| one.id == id);
            let found = found.ok_or_else(|| missing("company account"))?;
            identities::delete(tx, user_id, id)?;
            return Ok(Ended {
                kind: "user_identity_disconnected",
                data: json!({"provider": found.provider}),
                text: "The company account with which you sign in was disconnected by",
                next: "The next sign-in with a company account finds your account by its address.",
            });
        }
    };
    Ok(Ended {
        kind,
        data,
        text,
        next: SIGN_IN_AGAIN,
    })
}

fn notify(
    change: &mut Change<'_, '_>,
    user: &UserRow,
    actor: &Actor,
    ended: &Ended,
) -> Result<(), ActionError> {
    let mut wording = Wording::default();
    let who = wording.person(&actor.full_name, actor.user_id);
    wording.add(format!(
        "{} {who}, an owner of the organization. {}",
        ended.text, ended.next
    ));
    change.notify(user.id, wording)
}
