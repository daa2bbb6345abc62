//! POST /users/me/apns_device_token (docs/protocol/push.md#tokens). Deprecated.

use spindle_actions::personal::{TokenKind, add_push_token};
use spindle_guest::{Call, Failure, Guard, Operation, Reply};

pub(crate) const OPERATION: Operation = Operation::post(
    "add-apns-token",
    "/api/v1/users/me/apns_device_token",
    Guard::Human,
    run,
);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let app_id = Some(call.params.required_text("appid")?);
    let token = call.params.required_text("token")?;
    let (db, actor) = (call.db()?, call.actor()?);
    add_push_token(db, actor, call.now(), TokenKind::Apns, token, app_id)?;
    Ok(spindle_wire::Reply::empty().into())
}
