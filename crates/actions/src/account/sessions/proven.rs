//! A link for a program in which the person is to be signed in, made after they have signed in elsewhere.

use spindle_domain::{RealmId, UserId};
use spindle_store::{Connection, SilentReason, audit, sign_in_links};

use crate::account::secrets;
use crate::{ActionError, change};

/// Makes a sign-in link at `now` (UNIX seconds) for a person who has proved who they are, and returns its token. Whether a
/// second factor was checked goes into it.
pub fn make_proven_link(
    db: &dyn Connection,
    realm_id: RealmId,
    now: i64,
    user_id: UserId,
    proves_second_factor: bool,
) -> Result<String, ActionError> {
    let token = secrets::new_token()?;
    let hash = secrets::hash_api_key(&token);
    change::silently(db, SilentReason::Credentials, |tx| {
        sign_in_links::insert_proven(tx, user_id, &hash, now, None, proves_second_factor)?;
        let own = Some(user_id);
        audit::append(tx, realm_id, now, own, own, "user_sign_in_link_made", "{}")?;
        Ok::<(), ActionError>(())
    })?;
    Ok(token)
}
