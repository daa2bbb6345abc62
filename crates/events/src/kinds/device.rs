//! `device` and its predecessor `push_device`: changes of a user's devices and of their registration
//! with the push service.

use serde_json::json;
use spindle_domain::{DeviceId, PushAccountId, UserId};

use crate::event::{Record, record};
use crate::{Audience, Event};

/// A device has been registered. See docs/protocol/push.md#register_client_device (FL 468).
#[must_use]
pub fn device_add(user_id: UserId, device_id: DeviceId) -> Event {
    let body = record([("op", json!("add")), ("device_id", json!(device_id))]);
    Event::new("device", body, Audience::user(user_id))
}

/// Fields of a device have changed: `changed` holds them under the names of the register
/// section `devices`. See docs/protocol/push.md#register_push_device (FL 468).
#[must_use]
pub fn device_update(user_id: UserId, device_id: DeviceId, changed: Record) -> Event {
    let mut body = record([("op", json!("update")), ("device_id", json!(device_id))]);
    body.extend(changed);
    Event::new("device", body, Audience::user(user_id))
}

/// A device was removed. See docs/protocol/push.md#remove_client_device (FL 470).
#[must_use]
pub fn device_remove(user_id: UserId, device_id: DeviceId) -> Event {
    let body = record([("op", json!("remove")), ("device_id", json!(device_id))]);
    Event::new("device", body, Audience::user(user_id))
}

/// A registration by account id has reached a state: `active`, or `failed` with its code.
/// See docs/protocol/push.md#devices, docs/protocol/push.md#register_push_device (FL 406).
#[must_use]
pub fn push_device(
    user_id: UserId,
    push_account_id: PushAccountId,
    status: &str,
    error_code: Option<&str>,
) -> Event {
    let mut body = record([
        ("push_account_id", json!(push_account_id)),
        ("status", json!(status)),
    ]);
    if let Some(code) = error_code {
        body.insert("error_code".into(), json!(code));
    }
    Event::new("push_device", body, Audience::user(user_id))
}
