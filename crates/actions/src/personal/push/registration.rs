//! Registers a device with the push service (docs/protocol/push.md#devices,
//! docs/protocol/differences.md#push-devices, docs/protocol/push.md#register_push_device), in the
//! form with a device id (FL 468) and in the one with an account id (FL 406 to 467).

use spindle_domain::limits::quotas::Quota;
use spindle_domain::{DeviceId, PushAccountId, UserId};
use spindle_events::kinds;
use spindle_store::push_calls::{self, NewPushCall, RegistrationId};
use spindle_store::push_devices::{self, DeviceRow, PushAccount};
use spindle_store::{Connection, Outcome, WriteTx, push_service};

use super::TokenKind;
use super::devices::missing_device;
use crate::push::{NOT_CONFIGURED, PassedOn, SealingKey, changes};
use crate::{ActionError, Actor, change};

/// Longest text of a key or registration, in bytes.
const MAX_TEXT_BYTES: usize = 8_192;

/// The key that notifications to a device are encrypted with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PushKey {
    /// Base64.
    pub push_key: String,
    /// Names the key in notifications; `None` in the form with an account id.
    pub push_key_id: Option<u32>,
}

/// The token to pass on to the push service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PushToken {
    /// Platform.
    pub kind: TokenKind,
    /// Names the token; `None` in the form with an account id.
    pub token_id: Option<String>,
    /// The push service's key that the client has used.
    pub bouncer_public_key: String,
    /// The registration, readable for the push service only.
    pub encrypted_push_registration: String,
}

/// The object of a registration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PushRegistration {
    /// A device that was registered before: first with key and token, later either alone, in
    /// order to replace it.
    Device {
        /// The device.
        device_id: DeviceId,
        /// The key, when it is new.
        key: Option<PushKey>,
        /// The token, when it is new.
        token: Option<PushToken>,
    },
    /// An id of the client's choice.
    Account {
        push_account_id: PushAccountId,
        /// Its key.
        key: PushKey,
        /// Its token.
        token: PushToken,
    },
}

/// Registers or updates a device of the caller's at `now` (UNIX seconds). A token is passed on to
/// the push service; without one, the registration fails immediately, and key and token are kept.
///
/// # Errors
/// [`ActionError::BadRequest`] for a device that the caller does not have, for a key or token
/// that is not well-formed, and when a first registration lacks one of them.
pub fn register_push_device(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    registration: &PushRegistration,
) -> Result<(), ActionError> {
    match registration {
        PushRegistration::Device {
            device_id,
            key,
            token,
        } => device(db, actor, now, *device_id, key.as_ref(), token.as_ref()),
        PushRegistration::Account {
            push_account_id,
            key,
            token,
        } => account(db, actor, now, *push_account_id, key, token),
    }
}

fn device(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    device_id: DeviceId,
    key: Option<&PushKey>,
    token: Option<&PushToken>,
) -> Result<(), ActionError> {
    let (realm_id, user_id) = (actor.realm_id, actor.user_id);
    change::if_needed(db, realm_id, now, |tx| {
        let has_service = push_service::state(tx, realm_id)?.is_some();
        if let Some(key) = key {
            check_key(&key.push_key, has_service)?;
        }
        if let Some(token) = token {
            check_token(token)?;
            check_text("token_id", token.token_id.as_deref().unwrap_or_default())?;
        }
        let before = push_devices::device(tx, user_id, device_id)?.ok_or_else(missing_device)?;
        let is_first = before.push_key.is_none();
        if (is_first && (key.is_none() || token.is_none())) || (key.is_none() && token.is_none()) {
            let text = "A registration needs the fields of the key and those of the token";
            return Err(ActionError::bad_request(text));
        }
        let mut after = before.clone();
        if let Some(key) = key {
            after.push_key = Some(key.push_key.clone());
            after.push_key_id = key.push_key_id.map(i64::from);
        }
        // The service knows this token already.
        let token = token.filter(|token| !is_registered(&before, token));
        if let Some(token) = token {
            after.token_kind = Some(token.kind.name().to_owned());
            after.pending_push_token_id = token.token_id.clone();
            after.push_token_last_updated_timestamp = Some(now);
            after.push_registration_error_code = None;
            if has_service {
                pass_on(tx, user_id, RegistrationId::Device(device_id), token, now)?;
            } else {
                after.push_registration_error_code = Some(NOT_CONFIGURED.to_owned());
            }
        }
        push_devices::update_device(tx, device_id, &after)?;
        let changed = changes(&before, &after);
        let event =
            (!changed.is_empty()).then(|| kinds::device_update(user_id, device_id, changed));
        Ok(change::outcome((), event))
    })
}

/// Whether notifications go to this token already.
fn is_registered(device: &DeviceRow, token: &PushToken) -> bool {
    device.push_token_id.is_some()
        && device.push_token_id == token.token_id
        && device.push_registration_error_code.is_none()
        && device.pending_push_token_id.is_none()
        && device.token_kind.as_deref() == Some(token.kind.name())
}

fn account(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    push_account_id: PushAccountId,
    key: &PushKey,
    token: &PushToken,
) -> Result<(), ActionError> {
    let (realm_id, user_id) = (actor.realm_id, actor.user_id);
    change::if_needed(db, realm_id, now, |tx| {
        let has_service = push_service::state(tx, realm_id)?.is_some();
        check_key(&key.push_key, has_service)?;
        check_token(token)?;
        if has_service
            && push_devices::is_account_active(tx, user_id, push_account_id, &key.push_key)?
        {
            return Ok(Outcome::Unchanged(()));
        }
        let mut account = PushAccount {
            push_account_id,
            token_kind: token.kind.name(),
            push_key: &key.push_key,
            status: "pending",
            error_code: None,
        };
        if has_service {
            set_account(tx, user_id, &account, now)?;
            pass_on(
                tx,
                user_id,
                RegistrationId::Account(push_account_id),
                token,
                now,
            )?;
            return Ok(Outcome::Unchanged(()));
        }
        account.status = "failed";
        account.error_code = Some(NOT_CONFIGURED);
        set_account(tx, user_id, &account, now)?;
        let event =
            kinds::push_device(user_id, push_account_id, account.status, account.error_code);
        Ok(change::outcome((), [event]))
    })
}

/// Stores a registration; beyond the quota, the oldest is removed.
fn set_account(
    tx: &WriteTx<'_>,
    user_id: UserId,
    account: &PushAccount<'_>,
    now: i64,
) -> Result<(), ActionError> {
    push_devices::set_account(tx, user_id, account, now)?;
    let limit = Quota::PushAccounts.limit();
    for gone in push_devices::delete_oldest_accounts(tx, user_id, limit)? {
        push_calls::withdraw_registration(tx, user_id, RegistrationId::Account(gone))?;
    }
    Ok(())
}

/// Notes what to pass on to the push service; replaces anything still waiting.
fn pass_on(
    tx: &WriteTx<'_>,
    user_id: UserId,
    registration: RegistrationId,
    token: &PushToken,
    now: i64,
) -> Result<(), ActionError> {
    push_calls::withdraw_registration(tx, user_id, registration)?;
    let passed_on = PassedOn {
        token_id: token.token_id.clone(),
        bouncer_public_key: token.bouncer_public_key.clone(),
        encrypted_push_registration: token.encrypted_push_registration.clone(),
    };
    let detail = serde_json::to_string(&passed_on)
        .map_err(|error| ActionError::Internal(error.to_string()))?;
    let call = NewPushCall {
        kind: "register",
        form: registration.form(),
        user_id,
        target: Some(registration.target()),
        message_id: None,
        detail: &detail,
    };
    push_calls::insert(tx, &call, now)?;
    Ok(())
}

/// Checks that the text is a key for the encryption of notifications.
fn check_key(push_key: &str, has_service: bool) -> Result<(), ActionError> {
    check_text("push_key", push_key)?;
    if has_service && SealingKey::parse(push_key).is_none() {
        let text = "push_key is Base64 of the byte 0x31 and a key of 32 bytes";
        return Err(ActionError::bad_request(text));
    }
    Ok(())
}

fn check_token(token: &PushToken) -> Result<(), ActionError> {
    check_text("bouncer_public_key", &token.bouncer_public_key)?;
    check_text(
        "encrypted_push_registration",
        &token.encrypted_push_registration,
    )
}

/// Checks a text that is opaque here: not empty, and not too long.
fn check_text(name: &str, text: &str) -> Result<(), ActionError> {
    if text.is_empty() || text.len() > MAX_TEXT_BYTES {
        return Err(ActionError::BadRequest(format!(
            "{name} is empty or too long"
        )));
    }
    Ok(())
}
