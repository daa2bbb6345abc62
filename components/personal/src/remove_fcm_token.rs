//! DELETE /users/me/android_gcm_reg_id (docs/protocol/push.md#tokens). Deprecated.

use spindle_actions::personal::{TokenKind, remove_push_token};
use spindle_guest::{Call, Failure, Guard, Operation, Reply};

pub(crate) const OPERATION: Operation = Operation::delete(
    "remove-fcm-token",
    "/api/v1/users/me/android_gcm_reg_id",
    Guard::Human,
    run,
);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let token = call.params.required_text("token")?;
    remove_push_token(call.db()?, call.actor()?, TokenKind::Fcm, token)?;
    Ok(spindle_wire::Reply::empty().into())
}
