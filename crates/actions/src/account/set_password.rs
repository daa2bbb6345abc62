//! Sets the password of an account for the operator: it was created without one, or its user has
//! forgotten it.

use serde_json::json;
use spindle_domain::policy::may_administer_user;
use spindle_domain::{RealmId, UserId};
use spindle_events::credentials_ended;
use spindle_store::{Connection, users};

use crate::ActionError;
use crate::account::manage_account::Change;
use crate::account::passwords::check_and_hash;
use crate::account::sessions;

/// Gives a person a new password at `now` (UNIX seconds), which ends all of their sessions. API keys
/// stay valid: they are revoked by rotating them.
///
/// # Errors
/// [`ActionError::Denied`](crate::ActionError::Denied) when there is no such account;
/// [`ActionError::BadRequest`](crate::ActionError::BadRequest) for a bot, which has none, and for
/// a password that is too short, too long or too easy to guess.
pub fn set_password(
    db: &dyn Connection,
    realm_id: RealmId,
    now: i64,
    user_id: UserId,
    password: &str,
) -> Result<(), ActionError> {
    let user = users::by_id(db, realm_id, user_id)?;
    let own: Vec<&str> = user
        .iter()
        .flat_map(|user| [user.full_name.as_str(), user.delivery_email.as_str()])
        .collect();
    // Slow on purpose, and therefore before any lock is held.
    let hash = check_and_hash(password, &own)?;
    Change::emitting(db, None, realm_id, now, |change| {
        let user = change.access(user_id, may_administer_user)?.row;
        if user.is_bot {
            return Err(ActionError::bad_request("A bot has no password"));
        }
        users::set_password_hash(change.tx, user.id, &hash)?;
        sessions::end_all(change.tx, user.id, None)?;
        change.events.push(credentials_ended(user.id));
        change.audit(Some(user.id), "user_password_changed", &json!({}))?;
        Ok(())
    })
}
