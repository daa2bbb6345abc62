//! The sessions, API keys and company accounts of an account.

use spindle_domain::UserId;
use spindle_domain::policy::may_end_credentials;
use spindle_store::{Connection, ReadTx};

use crate::account::ListedKey;
use crate::account::company_accounts::{self, connections_of};
use crate::account::keys::list_keys_of;
use crate::account::manage_account::access_account;
use crate::account::sessions::{ListedSession, list_sessions_of};
use crate::{ActionError, Actor};

/// What gives access to an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserCredentials {
    /// By id.
    pub sessions: Vec<ListedSession>,
    /// The oldest first.
    pub api_keys: Vec<ListedKey>,
}

/// What gives access to an account at `now` (UNIX seconds).
///
/// # Errors
/// [`ActionError::Denied`] when there is no such account, or `actor` is no owner.
pub fn list_credentials(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    user_id: UserId,
) -> Result<UserCredentials, ActionError> {
    let tx = ReadTx::begin(db)?;
    let rule = may_end_credentials;
    let user = access_account(&tx, Some(actor), actor.realm_id, user_id, rule)?.row;
    Ok(UserCredentials {
        sessions: list_sessions_of(&tx, actor, user.id, now)?,
        api_keys: list_keys_of(&tx, user.id, now)?,
    })
}

/// The company accounts with which the person of an account signs in, by id.
///
/// # Errors
/// As [`list_credentials`].
pub fn list_identities(
    db: &dyn Connection,
    actor: &Actor,
    user_id: UserId,
) -> Result<Vec<company_accounts::Connection>, ActionError> {
    let tx = ReadTx::begin(db)?;
    let rule = may_end_credentials;
    let user = access_account(&tx, Some(actor), actor.realm_id, user_id, rule)?.row;
    connections_of(&tx, actor.realm_id, user.id)
}
