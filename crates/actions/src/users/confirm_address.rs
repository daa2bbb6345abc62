//! Confirms a new address with the link of a mail to it (docs/protocol/settings.md#confirm_address).
//!
//! Where mail is configured, a person's new address takes effect only then, because it can be used to set a new password.

use serde_json::json;
use spindle_domain::limits::ADDRESS_CONFIRMATION_SECONDS;
use spindle_domain::policy::may_change_own;
use spindle_domain::{MailKind, RealmId, realm_setting};
use spindle_store::address_changes::{self, AddressChange};
use spindle_store::mails::Recipient;
use spindle_store::users::UserRow;
use spindle_store::{Connection, DbError, users};

use crate::account::act_by_link;
use crate::account::link_keys::{self, Purpose};
use crate::account::manage_account::Change;
use crate::account::outbox::{self, Mail};
use crate::account::secrets;
use crate::organization::domains::check_address_admitted;
use crate::text::email_address;
use crate::users::update_user::{check_address_rate, check_is_free, write_email};
use crate::{ActionError, Actor};

/// The step that has a person confirm a new address of their own; an earlier one can no longer be confirmed.
///
/// # Errors
/// [`ActionError::BadRequest`] for an address that is malformed, taken or not admitted, and beyond a few mails a day;
/// `ClientError::RateLimitHit` when the address was changed too often.
pub(crate) fn ask_to_confirm(
    change: &Change<'_, '_>,
    user: &UserRow,
    email: &str,
) -> Result<(), ActionError> {
    let email = &*email_address(email)?;
    check_address_admitted(change, email)?;
    check_address_rate(change.tx, change.now, user.id)?;
    check_is_free(change.tx, change.realm_id, user.id, email)?;
    let nonce = secrets::new_nonce()?;
    address_changes::replace(change.tx, user.id, &nonce, email, change.now)?;
    let mail = Mail {
        kind: MailKind::AddressConfirmation,
        cause: secrets::new_name()?,
        to: Recipient::Account(user.id),
        detail: json!({}),
        due: change.now,
    };
    if !outbox::write(change.tx, change.realm_id, change.now, &mail)? {
        return Err(ActionError::bad_request(
            "Too many mails were sent to confirm addresses; try again tomorrow",
        ));
    }
    change.audit(Some(user.id), "user_email_change_asked", &json!({}))
}

/// The key of the link that confirms an address.
pub(crate) fn confirmation_key(
    secret: &[u8],
    change: &AddressChange,
) -> Result<String, ActionError> {
    link_keys::key(secret, Purpose::AddressConfirmation, &change.nonce)
}

/// Gives an account the address that the link with `key` confirms, at `now` (UNIX seconds). `secret` is the one that the
/// server signs links with.
///
/// # Errors
/// [`ActionError::BadSignInLink`] for a link that was never made, was used, is too old, or was replaced by another one;
/// [`ActionError::BadRequest`] and [`ActionError::Denied`] when the address was taken in the meantime, or the
/// organization no longer admits it.
pub fn confirm_address(
    db: &dyn Connection,
    realm_id: RealmId,
    now: i64,
    secret: &[u8],
    key: &str,
) -> Result<(), ActionError> {
    let nonce = link_keys::nonce_of(secret, Purpose::AddressConfirmation, key)?;
    let nonce = nonce.ok_or(ActionError::BadSignInLink)?;
    let found = address_changes::by_nonce(db, &nonce)?.ok_or(ActionError::BadSignInLink)?;
    let actor = act_by_link(db, found.user_id)?;
    Change::emitting(db, Some(&actor), realm_id, now, |change| {
        let row = address_changes::by_nonce(change.tx, &nonce)?;
        let is_current = |row: &AddressChange| now < row.created + ADDRESS_CONFIRMATION_SECONDS;
        let row = row.filter(is_current).ok_or(ActionError::BadSignInLink)?;
        check_may_change(&actor)?;
        let user = users::by_id(change.tx, realm_id, row.user_id)?.ok_or(DbError::NoRow)?;
        // Deletes the row: of two concurrent requests, the second finds nothing.
        write_email(change, &user, &row.address)?;
        Ok(users::confirm_email(change.tx, user.id)?)
    })
}

/// Checks that the organization lets this person change the address.
pub(crate) fn check_may_change(actor: &Actor) -> Result<(), ActionError> {
    let setting = realm_setting!("email_changes_disabled");
    Ok(may_change_own(actor.role, actor.realm_settings().is_on(setting)).check()?)
}
