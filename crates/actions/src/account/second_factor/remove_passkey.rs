//! Removes a passkey of the caller.

use serde_json::json;
use spindle_domain::PasskeyId;
use spindle_store::{Connection, Freeing, SilentReason, audit, passkeys};

use super::announce;
use super::end::end_without_factors;
use super::proof::{Factor, pass_as_caller};
use crate::{ActionError, Actor, change};

/// Removes a passkey of the caller at `now` (UNIX seconds). After the last one, without an app, the account has no second
/// factor.
///
/// # Errors
/// [`ActionError::NotFound`] without such a passkey; otherwise as a sign-in with a code.
pub fn remove_passkey(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    id: PasskeyId,
    factor: Factor<'_>,
) -> Result<(), ActionError> {
    let missing = || ActionError::NotFound("Your account has no such passkey".to_owned());
    let (realm_id, user_id) = (actor.realm_id, actor.user_id);
    if !passkeys::list(db, user_id)?.iter().any(|one| one.id == id) {
        return Err(missing());
    }
    let db = &Freeing(db);
    pass_as_caller(db, actor, now, factor)?;
    change::silently(db, SilentReason::Credentials, |tx| {
        let name = passkeys::delete(tx, user_id, id)?.ok_or_else(missing)?;
        let data = json!({"passkey_id": id, "name": name}).to_string();
        let own = Some(user_id);
        audit::append(tx, realm_id, now, own, own, "user_passkey_removed", &data)?;
        announce(tx, (realm_id, user_id), now, "passkey_removed")?;
        end_without_factors(tx, user_id)
    })
}
