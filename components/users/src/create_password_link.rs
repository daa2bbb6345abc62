//! POST /users/{user_id}/password_link (docs/protocol/sessions.md#create_password_link).

use serde_json::json;
use spindle_actions::users::make_password_link;
use spindle_domain::UserId;
use spindle_domain::limits::PASSWORD_LINK_SECONDS;
use spindle_guest::{Call, Failure, Guard, Operation, Reply, Scope};

pub(crate) const OPERATION: Operation = Operation::post(
    "create-password-link",
    "/api/v1/users/{user_id}/password_link",
    Guard::Human,
    run,
)
.needing(Scope::Account);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let user_id: UserId = call.path_id("user_id")?;
    let actor = call.actor()?;
    let link = make_password_link(
        call.db()?,
        Some(actor),
        actor.realm_id,
        call.now(),
        user_id,
        PASSWORD_LINK_SECONDS,
    )?;
    let fields = json!({"password_link": link.address(call.site()), "expiry_date": link.until});
    Ok(spindle_wire::Reply::of(&fields)?.into())
}
