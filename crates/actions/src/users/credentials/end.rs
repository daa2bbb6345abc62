//! Ends sessions or API keys of an account, with a notice to the person.

use serde_json::json;
use spindle_domain::policy::may_end_credentials;
use spindle_domain::{ApiKeyId, SessionId, SystemBot, UserId};
use spindle_events::credentials_ended;
use spindle_store::users::UserRow;
use spindle_store::{Connection, Freeing, keys, sessions};

use crate::account::manage_account::Change;
use crate::account::sessions::end_all;
use crate::messages::{Notice, NoticeRecipient, ReadBy, Wording, send_notice};
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
}

/// Ends sessions or keys of another account at `now` (UNIX seconds).
///
/// # Errors
/// [`ActionError::Denied`] when there is no such account, or `actor` is no owner; [`ActionError::BadRequest`] for the
/// account of `actor`, and where there is no such session or key.
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
        let (kind, data, text) = match what {
            EndedCredentials::Session(session_id) => {
                if !sessions::delete(change.tx, user.id, session_id)? {
                    return Err(ActionError::bad_request("There is no such session"));
                }
                let data = json!({"session_id": session_id});
                (
                    "user_session_ended",
                    data,
                    "One of your browsers was signed out by",
                )
            }
            EndedCredentials::Sessions => {
                end_all(change.tx, user.id, None)?;
                let text = "All of your browsers were signed out by";
                ("user_sessions_ended", json!({}), text)
            }
            EndedCredentials::ApiKey(key_id) => {
                let ended = keys::delete(change.tx, user.id, key_id)?
                    .ok_or_else(|| ActionError::bad_request("There is no such API key"))?;
                let data = json!({"key_id": ended.id, "name": ended.name});
                let text = "One of your API keys was ended by";
                ("user_api_key_ended", data, text)
            }
            EndedCredentials::ApiKeys => {
                keys::delete_all(change.tx, user.id)?;
                let text = "All API keys of your account were revoked by";
                ("user_api_keys_revoked", json!({}), text)
            }
        };
        change.events.push(credentials_ended(user.id));
        change.audit(Some(user.id), kind, &data)?;
        if user.is_bot || !user.is_active {
            return Ok(());
        }
        notify(change, &user, actor, text)
    })
}

fn notify(
    change: &mut Change<'_, '_>,
    user: &UserRow,
    actor: &Actor,
    text: &str,
) -> Result<(), ActionError> {
    let mut wording = Wording::default();
    let who = wording.person(&actor.full_name, actor.user_id);
    wording.add(format!(
        "{text} {who}, an owner of the organization. Sign in again to go on."
    ));
    let notice = Notice {
        bot: SystemBot::Notification,
        read_by: ReadBy::Senders,
        recipient: NoticeRecipient::Person(user.id),
        wording,
    };
    let sent = send_notice(change.tx, change.realm_id, change.now, &notice)?;
    change.events.extend(sent.1);
    Ok(())
}
