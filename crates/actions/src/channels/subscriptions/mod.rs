//! Subscribing users and unsubscribing them: what every change of subscriptions shares.
//!
//! Owns the rows and the events of both directions, for many users and channels at once; who may do
//! it is checked by the actions that use this. The subscribers themselves receive `subscription`
//! `add` or `remove`; others receive `peer_add` or `peer_remove`, whose audience therefore never
//! includes the users it is about.

mod colors;
mod grouping;
mod join;
mod leave;
mod people;

use spindle_domain::{RealmId, Role, UserId};
use spindle_store::WriteTx;
use spindle_store::user_lists::{self, RoleRow};

use crate::ActionError;

pub(crate) use colors::normalise_color;
pub(crate) use people::{access_principals, owns_all};

/// Most pairs of user and channel that one request may change: each is written and emitted.
pub(crate) const MAX_CHANGES: usize = 50_000;

/// A change of subscriptions in progress.
pub(crate) struct Change<'t, 'd> {
    tx: &'t WriteTx<'d>,
    realm_id: RealmId,
    now: i64,
    /// All active accounts.
    roles: Vec<RoleRow>,
}

impl<'t, 'd> Change<'t, 'd> {
    /// Begins at `now` (UNIX seconds), inside the caller's transaction.
    pub(crate) fn new(
        tx: &'t WriteTx<'d>,
        realm_id: RealmId,
        now: i64,
    ) -> Result<Self, ActionError> {
        let roles = user_lists::active_roles(tx, realm_id)?;
        Ok(Self {
            tx,
            realm_id,
            now,
            roles,
        })
    }

    /// All active accounts with their roles, by id.
    pub(crate) fn roles(&self) -> &[RoleRow] {
        &self.roles
    }

    /// The role of an active account; for any other, the guest's, who sees least.
    fn role_of(&self, user_id: UserId) -> Role {
        self.roles
            .binary_search_by_key(&user_id, |account| account.user_id)
            .ok()
            .and_then(|index| self.roles.get(index))
            .map_or(Role::Guest, |account| account.role)
    }
}

/// Refuses a request that would change more than [`MAX_CHANGES`] pairs.
///
/// # Errors
/// [`ActionError::BadRequest`].
pub(crate) fn check_size(users: usize, channels: usize) -> Result<(), ActionError> {
    if users.saturating_mul(channels) > MAX_CHANGES {
        return Err(ActionError::BadRequest(format!(
            "At most {MAX_CHANGES} subscriptions can be changed at once"
        )));
    }
    Ok(())
}
