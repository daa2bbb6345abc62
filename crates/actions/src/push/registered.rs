//! Ends a registration when the push service has answered, with the event for its owner.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use spindle_domain::{DeviceId, PushAccountId, UserId};
use spindle_events::{Event, Record, kinds};
use spindle_store::push_calls::PushCallRow;
use spindle_store::push_devices::{self, DeviceRow};
use spindle_store::{WriteTx, push_calls};

use super::DEVICE;
use crate::ActionError;

/// A registration that is passed on to the push service, as stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PassedOn {
    /// Names the token; `None` in the form with an account id.
    pub(crate) token_id: Option<String>,
    /// The push service's key that the client has used.
    pub(crate) bouncer_public_key: String,
    /// The registration, readable for the push service only.
    pub(crate) encrypted_push_registration: String,
}

impl PassedOn {
    pub(super) fn of(row: &PushCallRow) -> Result<Self, ActionError> {
        serde_json::from_str(&row.detail).map_err(|error| ActionError::Internal(error.to_string()))
    }
}

/// The registration has succeeded; `service_device_id`: the phone's id at the service.
pub(super) fn succeed(
    tx: &WriteTx<'_>,
    row: &PushCallRow,
    service_device_id: Option<i64>,
) -> Result<Option<Event>, ActionError> {
    push_calls::delete(tx, row.id)?;
    let target = row.target.unwrap_or_default();
    if row.form == DEVICE {
        let token_id = PassedOn::of(row)?.token_id;
        return change_device(tx, row.user_id, DeviceId(target), |device| {
            device.push_token_id = token_id;
            device.pending_push_token_id = None;
            device.push_registration_error_code = None;
        });
    }
    let target = PushAccountId(target);
    let is_known = push_devices::activate_account(tx, row.user_id, target, service_device_id)?;
    Ok(is_known.then(|| kinds::push_device(row.user_id, target, "active", None)))
}

/// The registration has failed for good.
pub(super) fn fail(
    tx: &WriteTx<'_>,
    row: &PushCallRow,
    code: &str,
) -> Result<Option<Event>, ActionError> {
    push_calls::delete(tx, row.id)?;
    let target = row.target.unwrap_or_default();
    if row.form == DEVICE {
        return change_device(tx, row.user_id, DeviceId(target), |device| {
            device.push_registration_error_code = Some(code.to_owned());
        });
    }
    let target = PushAccountId(target);
    let is_known = push_devices::fail_account(tx, row.user_id, target, code)?;
    Ok(is_known.then(|| kinds::push_device(row.user_id, target, "failed", Some(code))))
}

/// No event when the device is gone, or is as it was.
fn change_device(
    tx: &WriteTx<'_>,
    user_id: UserId,
    device_id: DeviceId,
    change: impl FnOnce(&mut DeviceRow),
) -> Result<Option<Event>, ActionError> {
    let Some(before) = push_devices::device(tx, user_id, device_id)? else {
        return Ok(None);
    };
    let mut after = before.clone();
    change(&mut after);
    push_devices::update_device(tx, device_id, &after)?;
    let changed = changes(&before, &after);
    Ok((!changed.is_empty()).then(|| kinds::device_update(user_id, device_id, changed)))
}

/// The properties of a device that clients see and that have changed.
pub(crate) fn changes(before: &DeviceRow, after: &DeviceRow) -> Record {
    let shown = |device: &DeviceRow| -> [(&'static str, Value); 5] {
        [
            ("push_key_id", device.push_key_id.into()),
            ("push_token_id", device.push_token_id.clone().into()),
            (
                "pending_push_token_id",
                device.pending_push_token_id.clone().into(),
            ),
            (
                "push_token_last_updated_timestamp",
                device.push_token_last_updated_timestamp.into(),
            ),
            (
                "push_registration_error_code",
                device.push_registration_error_code.clone().into(),
            ),
        ]
    };
    let differing = shown(before).into_iter().zip(shown(after));
    differing
        .filter(|(before, after)| before != after)
        .map(|(_, (name, value))| (name.to_owned(), value))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_differs_is_told() {
        let before = DeviceRow {
            pending_push_token_id: Some("t".into()),
            push_key_id: Some(5),
            ..DeviceRow::default()
        };
        let after = DeviceRow {
            pending_push_token_id: None,
            push_token_id: Some("t".into()),
            push_key: Some("is not shown".into()),
            ..before.clone()
        };
        let shown = Value::from(changes(&before, &after));
        let expected = serde_json::json!({"push_token_id": "t", "pending_push_token_id": null});
        assert_eq!(shown, expected);
        assert!(changes(&before, &before).is_empty());
    }
}
