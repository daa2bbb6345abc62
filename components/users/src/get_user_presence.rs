//! GET /users/{user_id_or_email}/presence (docs/protocol/presence.md#get_user_presence).

use spindle_actions::presence::get_user_presence;
use spindle_domain::UserId;
use spindle_domain::narrow::UserReference;
use spindle_guest::{Call, Failure, Guard, Operation, Reply};

pub(crate) const OPERATION: Operation = Operation::get(
    "get-user-presence",
    "/api/v1/users/{user_id_or_email}/presence",
    Guard::User,
    run,
);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let text = call.path_text("user_id_or_email")?;
    let user = match text.parse() {
        Ok(id) => UserReference::Id(UserId(id)),
        Err(_) => UserReference::Email(text.to_owned()),
    };
    let presence = get_user_presence(call.db()?, call.actor()?, &user)?;
    Ok(spindle_wire::Reply::empty()
        .field("presence", &presence)?
        .into())
}
