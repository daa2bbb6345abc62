//! DELETE /realm/emoji/{emoji_name} (docs/protocol/emoji.md#delete_emoji): deactivates the emoji;
//! existing uses keep its image.

use spindle_actions::organization::deactivate_emoji;
use spindle_guest::{Call, Failure, Guard, Operation, Reply};

pub(crate) const OPERATION: Operation = Operation::delete(
    "delete-emoji",
    "/api/v1/realm/emoji/{emoji_name}",
    Guard::User,
    run,
);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let name = call.path_text("emoji_name")?;
    deactivate_emoji(call.db()?, call.actor()?, call.now(), name)?;
    Ok(spindle_wire::Reply::empty().into())
}
