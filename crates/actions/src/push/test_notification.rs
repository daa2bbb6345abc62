//! A notification that shows the caller whether their phones are reached
//! (docs/protocol/push.md#send_test_notification), and why there is none without encryption.

use spindle_domain::errors::ClientError;
use spindle_domain::{DeviceId, PushAccountId};
use spindle_store::push_calls::{self, NewPushCall};
use spindle_store::{Connection, Db, SilentReason, push_recipients, push_service};

use super::{ACCOUNT, DEVICE};
use crate::{ActionError, Actor, change};

/// The phones that receive it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TestTarget {
    /// All of the caller's.
    All,
    /// One device.
    Device(DeviceId),
    /// One registration by account id.
    Account(PushAccountId),
}

/// Sends a notification to phones of the caller's, at `now` (UNIX seconds).
///
/// # Errors
/// [`ClientError::NoActivePushDevice`] when there is none that can be reached.
pub fn send_test_notification(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    target: TestTarget,
) -> Result<(), ActionError> {
    let (realm_id, user_id) = (actor.realm_id, actor.user_id);
    change::silently(db, SilentReason::Calls, |tx| {
        if push_service::state(tx, realm_id)?.is_none() {
            return Err(ClientError::NoActivePushDevice.into());
        }
        let forms: &[(&str, Option<i64>)] = match target {
            TestTarget::All => &[(DEVICE, None), (ACCOUNT, None)],
            TestTarget::Device(id) => &[(DEVICE, Some(id.get()))],
            TestTarget::Account(id) => &[(ACCOUNT, Some(id.get()))],
        };
        let mut is_reached = false;
        for (form, target) in forms.iter().copied() {
            if push_recipients::phones(tx, user_id, form, target)?.is_empty() {
                continue;
            }
            is_reached = true;
            let call = NewPushCall {
                kind: "test",
                form,
                user_id,
                target,
                message_id: None,
                detail: "",
            };
            push_calls::insert(tx, &call, now)?;
        }
        if !is_reached {
            return Err(ClientError::NoActivePushDevice.into());
        }
        Ok(())
    })
}

/// Says why a notification without encryption cannot be sent to phones of the caller's.
///
/// # Errors
/// [`ActionError::BadRequest`], always; [`ActionError::Store`].
pub fn test_plain_notification(db: &dyn Db, actor: &Actor) -> Result<(), ActionError> {
    let is_configured = push_service::state(db, actor.realm_id)?.is_some();
    Err(ActionError::bad_request(if is_configured {
        "Push notifications without encryption are not configured on this server"
    } else {
        "Push notifications are not configured on this server"
    }))
}
