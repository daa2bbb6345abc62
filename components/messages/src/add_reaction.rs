//! POST /messages/{message_id}/reactions (docs/protocol/messages.md#add_reaction).

use spindle_actions::messages::{ReactionInput, add_reaction};
use spindle_domain::MessageId;
use spindle_guest::{Call, Failure, Guard, Operation, Reply, Scope};

pub(crate) const OPERATION: Operation = Operation::post(
    "add-reaction",
    "/api/v1/messages/{message_id}/reactions",
    Guard::User,
    run,
)
.needing(Scope::Send);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let message_id: MessageId = call.path_id("message_id")?;
    let text = |name: &str| call.params.optional_text(name).map(str::to_owned);
    let input = ReactionInput {
        emoji_name: Some(call.params.required_text("emoji_name")?.to_owned()),
        emoji_code: text("emoji_code"),
        reaction_type: text("reaction_type"),
    };
    add_reaction(call.db()?, call.actor()?, call.now(), message_id, &input)?;
    Ok(spindle_wire::Reply::empty().into())
}
