//! Makes a link with which a person sets a new password (docs/protocol/sessions.md#create_password_link).

use serde_json::json;
use spindle_domain::policy::{Reason, may_make_password_link};
use spindle_domain::{RealmId, UserId};
use spindle_store::{Connection, SilentReason, sign_in_links};

use crate::account::manage_account::{Change, acting_id};
use crate::account::secrets;
use crate::account::ways::check_password_is_on;
use crate::{ActionError, Actor};

/// A new link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PasswordLink {
    /// The last part of its address, which cannot be read again.
    pub token: String,
    /// UNIX seconds.
    pub until: i64,
}

impl PasswordLink {
    /// The address of the link at the server with the address `site`.
    pub fn address(&self, site: &str) -> String {
        format!("{site}/#set-password/{}", self.token)
    }
}

/// Makes a link at `now` (UNIX seconds) that works for `seconds`; earlier links of the account stop working. `acting`
/// is none for the operator.
///
/// # Errors
/// [`ActionError::Denied`] when there is no such account or `acting` may not make a link for it;
/// [`ActionError::BadRequest`] for bots, deactivated accounts, and the account of `acting`.
pub fn make_password_link(
    db: &dyn Connection,
    acting: Option<&Actor>,
    realm_id: RealmId,
    now: i64,
    user_id: UserId,
    seconds: i64,
) -> Result<PasswordLink, ActionError> {
    if acting.is_some_and(|actor| actor.is_bot) {
        return Err(Reason::BotsExcluded.into());
    }
    if acting.is_some() {
        check_password_is_on(db, realm_id)?;
    }
    let token = secrets::new_token()?;
    let until = now.saturating_add(seconds);
    let why = SilentReason::Credentials;
    Change::silently(db, why, acting, realm_id, now, |change| {
        let user = change.access(user_id, may_make_password_link)?.row;
        if acting_id(acting) == Some(user.id) {
            // It would replace the check of the old password.
            return Err(ActionError::bad_request(
                "Change your own password in your settings",
            ));
        }
        if user.is_bot {
            return Err(ActionError::bad_request("A bot has no password"));
        }
        if !user.is_active {
            return Err(ActionError::bad_request("This account is deactivated"));
        }
        let hash = secrets::hash_api_key(&token);
        let made_by = acting_id(acting);
        sign_in_links::replace_with_password_link(change.tx, user.id, &hash, now, until, made_by)?;
        change.audit(
            Some(user.id),
            "user_password_link_made",
            &json!({"until": until}),
        )
    })?;
    Ok(PasswordLink { token, until })
}
