//! POST /messages/flags (docs/protocol/flags.md#update_message_flags).

use spindle_actions::messages::{FlagChange, change_flags};
use spindle_domain::message_flag::EditableFlag;
use spindle_domain::{ChannelId, MessageId};
use spindle_guest::{Call, Failure, Guard, Operation, Reply, Scope};
use spindle_wire::{ApiError, Params};

pub(crate) const OPERATION: Operation = Operation::post(
    "update-message-flags",
    "/api/v1/messages/flags",
    Guard::User,
    run,
)
.needing(Scope::Send);

const OPS: &[(&str, bool)] = &[("add", true), ("remove", false)];

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let mut messages: Vec<MessageId> = call.params.required("messages")?;
    let change = flag_change(&call.params)?;
    let changed = change_flags(call.db()?, call.actor()?, call.now(), &messages, &change)?;
    messages.retain(|id| changed.message_ids.contains(id));
    let ignored: Vec<ChannelId> = changed.ignored_channels.into_iter().collect();
    let reply = spindle_wire::Reply::empty()
        .field("messages", &messages)?
        .field("ignored_because_not_subscribed_channels", &ignored)?;
    Ok(reply.into())
}

/// The parameters `op` and `flag`.
///
/// # Errors
/// 400 when one is missing, for another operation, and for a flag that cannot be edited.
pub(crate) fn flag_change(params: &Params<'_>) -> Result<FlagChange, ApiError> {
    let add = params
        .optional_enum("op", OPS)?
        .ok_or_else(|| ApiError::variable_missing("op"))?;
    let name = params.required_text("flag")?;
    let flag = EditableFlag::from_name(name)
        .ok_or_else(|| ApiError::bad_parameter("flag", "no such flag can be edited"))?;
    Ok(FlagChange { flag, add })
}
