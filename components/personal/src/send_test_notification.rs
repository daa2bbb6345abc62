//! POST /mobile_push/e2ee/test_notification (feature level 420).
//!
//! Requests with `device_id` have the form since feature level 468, those with `push_account_id` the
//! earlier one; with neither, all phones of the caller are notified.

use spindle_actions::push::{TestTarget, send_test_notification};
use spindle_domain::errors::ClientError;
use spindle_domain::{DeviceId, PushAccountId};
use spindle_guest::{Call, Failure, Guard, Operation, Reply};

pub(crate) const OPERATION: Operation = Operation::post(
    "send-test-notification",
    "/api/v1/mobile_push/e2ee/test_notification",
    Guard::Human,
    run,
);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let device_id: Option<DeviceId> = call.params.optional("device_id")?;
    let push_account_id: Option<PushAccountId> = call.params.optional("push_account_id")?;
    let target = match (device_id, push_account_id) {
        (None, None) => TestTarget::All,
        (Some(id), None) => TestTarget::Device(id),
        (None, Some(id)) => TestTarget::Account(id),
        (Some(_), Some(_)) => {
            let (first, second) = ("device_id".to_owned(), "push_account_id".to_owned());
            return Err(ClientError::RequestConfusingVar { first, second }.into());
        }
    };
    send_test_notification(call.db()?, call.actor()?, call.now(), target)?;
    Ok(spindle_wire::Reply::empty().into())
}
