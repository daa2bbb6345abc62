//! A link with which a person signs in once; the operator passes it on.

use serde_json::json;
use spindle_domain::policy::may_administer_user;
use spindle_domain::{RealmId, UserId};
use spindle_store::{Connection, SilentReason, sign_in_links};

use crate::ActionError;
use crate::account::manage_account::Change;
use crate::account::secrets;

/// Makes a link for a person at `now` (UNIX seconds) and returns its token; earlier ones stop working.
///
/// # Errors
/// [`ActionError::Denied`] when there is no such account; [`ActionError::BadRequest`] for a bot, and
/// for an account that is deactivated.
pub fn make_sign_in_link(
    db: &dyn Connection,
    realm_id: RealmId,
    now: i64,
    user_id: UserId,
) -> Result<String, ActionError> {
    let token = secrets::new_token()?;
    Change::silently(
        db,
        SilentReason::Credentials,
        None,
        realm_id,
        now,
        |change| {
            let user = change.access(user_id, may_administer_user)?.row;
            if user.is_bot {
                return Err(ActionError::bad_request("A bot does not sign in"));
            }
            if !user.is_active {
                return Err(ActionError::bad_request("This account is deactivated"));
            }
            let hash = secrets::hash_api_key(&token);
            sign_in_links::replace(change.tx, user.id, &hash, now)?;
            change.audit(Some(user.id), "user_sign_in_link_made", &json!({}))?;
            Ok(())
        },
    )?;
    Ok(token)
}
