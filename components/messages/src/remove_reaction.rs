//! DELETE /messages/{message_id}/reactions (docs/protocol/messages.md#remove_reaction).

use spindle_actions::messages::{ReactionInput, remove_reaction};
use spindle_domain::MessageId;
use spindle_guest::{Call, Failure, Guard, Operation, Reply, Scope};

pub(crate) const OPERATION: Operation = Operation::delete(
    "remove-reaction",
    "/api/v1/messages/{message_id}/reactions",
    Guard::User,
    run,
)
.needing(Scope::Send);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let message_id: MessageId = call.path_id("message_id")?;
    let text = |name: &str| call.params.optional_text(name).map(str::to_owned);
    let input = ReactionInput {
        emoji_name: text("emoji_name"),
        emoji_code: text("emoji_code"),
        reaction_type: text("reaction_type"),
    };
    remove_reaction(call.db()?, call.actor()?, call.now(), message_id, &input)?;
    Ok(spindle_wire::Reply::empty().into())
}
