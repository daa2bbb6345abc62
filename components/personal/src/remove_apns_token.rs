//! DELETE /users/me/apns_device_token (docs/protocol/push.md#tokens). Deprecated.

use spindle_actions::personal::{TokenKind, remove_push_token};
use spindle_guest::{Call, Failure, Guard, Operation, Reply};

pub(crate) const OPERATION: Operation = Operation::delete(
    "remove-apns-token",
    "/api/v1/users/me/apns_device_token",
    Guard::Human,
    run,
);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let token = call.params.required_text("token")?;
    remove_push_token(call.db()?, call.actor()?, TokenKind::Apns, token)?;
    Ok(spindle_wire::Reply::empty().into())
}
