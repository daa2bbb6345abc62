//! Whether people sign in by a provider.

use spindle_domain::RealmId;
use spindle_store::Db;

use crate::ActionError;
use crate::account::ways;

/// Whether the operator has configured this provider, and owners have not switched it off.
pub fn is_offered(db: &dyn Db, realm_id: RealmId, provider: &str) -> Result<bool, ActionError> {
    Ok(ways::read(db, realm_id)?.has_provider(provider))
}
