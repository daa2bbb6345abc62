//! Issues API keys: one more for a client that logs in, or a new one in place of all others.

use serde_json::json;
use spindle_domain::policy::may_administer_user;
use spindle_domain::{RealmId, UserId};
use spindle_events::credentials_ended;
use spindle_store::{Connection, Freeing, audit, keys};

use crate::account::manage_account::{access_account, acting_id};
use crate::account::secrets;
use crate::{ActionError, Actor, change};

/// Revokes every key of an account and issues a new one at `now` (UNIX seconds). `acting` is
/// none for the operator.
///
/// # Errors
/// [`ActionError::Denied`] when there is no such account or `acting` may not administer it.
pub fn rotate_key(
    db: &dyn Connection,
    acting: Option<&Actor>,
    realm_id: RealmId,
    now: i64,
    user_id: UserId,
) -> Result<String, ActionError> {
    let db = &Freeing(db);
    issue(db, acting, realm_id, now, user_id, true)
}

/// Issues one more key for an account, for a configuration file that the operator asks for.
///
/// # Errors
/// [`ActionError::Denied`] when there is no such account.
pub fn issue_key(
    db: &dyn Connection,
    realm_id: RealmId,
    now: i64,
    user_id: UserId,
) -> Result<String, ActionError> {
    issue(db, None, realm_id, now, user_id, false)
}

fn issue(
    db: &dyn Connection,
    acting: Option<&Actor>,
    realm_id: RealmId,
    now: i64,
    user_id: UserId,
    revoke: bool,
) -> Result<String, ActionError> {
    let key = secrets::new_api_key()?;
    change::emitting(db, realm_id, now, |tx| {
        let id = access_account(tx, acting, realm_id, user_id, may_administer_user)?
            .row
            .id;
        if revoke {
            keys::delete_all(tx, id)?;
        }
        let label = if revoke {
            "rotated"
        } else {
            "issued by the operator"
        };
        keys::insert(tx, id, &secrets::hash_api_key(&key), now, label)?;
        let data = json!({"revoked_others": revoke}).to_string();
        let acting = acting_id(acting);
        audit::append(
            tx,
            realm_id,
            now,
            acting,
            Some(id),
            "user_api_key_issued",
            &data,
        )?;
        Ok(change::made((), credentials_ended(id)))
    })?;
    Ok(key)
}
