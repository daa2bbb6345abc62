//! POST /users/me/android_gcm_reg_id (docs/protocol/push.md#tokens). Deprecated.

use spindle_actions::personal::{TokenKind, add_push_token};
use spindle_guest::{Call, Failure, Guard, Operation, Reply};

pub(crate) const OPERATION: Operation = Operation::post(
    "add-fcm-token",
    "/api/v1/users/me/android_gcm_reg_id",
    Guard::Human,
    run,
);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let token = call.params.required_text("token")?;
    let (db, actor) = (call.db()?, call.actor()?);
    add_push_token(db, actor, call.now(), TokenKind::Fcm, token, None)?;
    Ok(spindle_wire::Reply::empty().into())
}
