//! The audience of events about a bot beyond its account.

use spindle_domain::{RealmId, UserId};
use spindle_events::Audience;
use spindle_store::{Db, user_lists};

use crate::ActionError;

/// The users who manage a bot: its owner and administrators.
pub(crate) fn who_manages(
    db: &dyn Db,
    realm_id: RealmId,
    owner_id: Option<UserId>,
) -> Result<Audience, ActionError> {
    let managing = user_lists::active_roles(db, realm_id)?
        .into_iter()
        .filter(|account| Some(account.user_id) == owner_id || account.role.is_admin())
        .map(|account| account.user_id);
    Ok(Audience::users(managing))
}
