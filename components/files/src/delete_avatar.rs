//! DELETE /users/me/avatar: resets the avatar to the organization's default.

use spindle_actions::users::delete_avatar;
use spindle_guest::{Call, Failure, Guard, Operation, Reply};

pub(crate) const OPERATION: Operation =
    Operation::delete("delete-avatar", "/api/v1/users/me/avatar", Guard::User, run);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let url = delete_avatar(call.db()?, call.actor()?, call.now())?;
    Ok(spindle_wire::Reply::empty()
        .field("avatar_url", &url)?
        .into())
}
