//! Registers and removes the devices that a user is logged in on
//! (docs/protocol/push.md#register_client_device, docs/protocol/push.md#remove_client_device).

use spindle_domain::DeviceId;
use spindle_domain::limits::quotas::Quota;
use spindle_events::kinds;
use spindle_store::push_calls::{self, RegistrationId};
use spindle_store::{Connection, push_devices};

use crate::{ActionError, Actor, change};

/// Registers a new device of the caller's at `now` (UNIX seconds) and returns its id. Beyond the
/// quota, the oldest is removed.
pub fn register_client_device(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
) -> Result<DeviceId, ActionError> {
    let user_id = actor.user_id;
    change::emitting(db, actor.realm_id, now, |tx| {
        let device_id = push_devices::insert_device(tx, user_id, now)?;
        let added = kinds::device_add(user_id, device_id);
        let mut removed = Vec::new();
        // Phones that were reset never remove their device: these are the oldest.
        for gone in push_devices::delete_oldest(tx, user_id, Quota::ClientDevices.limit())? {
            push_calls::withdraw_registration(tx, user_id, RegistrationId::Device(gone))?;
            removed.push(kinds::device_remove(user_id, gone));
        }
        Ok(change::made_before(device_id, added, removed))
    })
}

/// Removes a device of the caller's with its registration.
///
/// # Errors
/// [`ActionError::BadRequest`] when the caller has no such device.
pub fn remove_client_device(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    device_id: DeviceId,
) -> Result<(), ActionError> {
    let user_id = actor.user_id;
    change::emitting(db, actor.realm_id, now, |tx| {
        if !push_devices::delete_device(tx, user_id, device_id)? {
            return Err(missing_device());
        }
        push_calls::withdraw_registration(tx, user_id, RegistrationId::Device(device_id))?;
        let event = kinds::device_remove(user_id, device_id);
        Ok(change::made((), event))
    })
}

pub(super) fn missing_device() -> ActionError {
    ActionError::bad_request("You have no such device")
}
