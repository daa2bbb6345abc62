//! POST /typing (docs/protocol/presence.md#set_typing_status).
//!
//! Older clients name the channel in a list `to` of one id; newer ones in `stream_id`.

use spindle_actions::messages::{TypingDestination, TypingOperation, set_typing_status};
use spindle_domain::{ChannelId, UserId};
use spindle_guest::{Call, Failure, Guard, Operation, Reply, Scope};
use spindle_wire::{ApiError, Params};

use crate::kind::{KINDS, RecipientKind};

pub(crate) const OPERATION: Operation =
    Operation::post("set-typing-status", "/api/v1/typing", Guard::User, run).needing(Scope::Send);

/// Values of `op`.
pub(crate) const OPERATIONS: &[(&str, TypingOperation)] = &[
    ("start", TypingOperation::Start),
    ("stop", TypingOperation::Stop),
];

/// The parameter `op` of this operation and of the one for edited messages.
pub(crate) fn operation(params: &Params<'_>) -> Result<TypingOperation, ApiError> {
    params
        .optional_enum("op", OPERATIONS)?
        .ok_or_else(|| ApiError::variable_missing("op"))
}

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let operation = operation(&call.params)?;
    let to = destination(&call.params)?;
    set_typing_status(call.db()?, call.actor()?, call.now(), operation, &to)?;
    Ok(spindle_wire::Reply::empty().into())
}

fn destination(params: &Params<'_>) -> Result<TypingDestination, ApiError> {
    let kind = params
        .optional_enum("type", KINDS)?
        .unwrap_or(RecipientKind::Direct);
    let to = params.optional::<Vec<i64>>("to")?;
    let stream_id = params.optional::<i64>("stream_id")?;
    let topic = params.aliased_text(&["topic", "subject"])?;
    match kind {
        RecipientKind::Channel => {
            let only = match to.as_deref() {
                Some([only]) => Some(*only),
                _ => None,
            };
            let stream_id = stream_id
                .or(only)
                .ok_or_else(|| ApiError::variable_missing("stream_id"))?;
            let topic = topic.ok_or_else(|| ApiError::variable_missing("topic"))?;
            let topic = topic.to_owned();
            Ok(TypingDestination::Channel(ChannelId(stream_id), topic))
        }
        RecipientKind::Direct => {
            let people = to.ok_or_else(|| ApiError::variable_missing("to"))?;
            let people = people.into_iter().map(UserId).collect();
            Ok(TypingDestination::Direct(people))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use spindle_wire::{Code, Request};

    fn read(query: &str) -> Result<TypingDestination, ApiError> {
        let request: Request = http::Request::post(format!("/api/v1/typing?{query}"))
            .body(Default::default())
            .unwrap();
        destination(&Params::from_request(&request).unwrap())
    }

    #[test]
    fn who_and_where() {
        let people = TypingDestination::Direct(vec![UserId(9), UserId(2)]);
        for query in ["to=[9,2]", "type=direct&to=[9,2]", "type=private&to=[9,2]"] {
            assert_eq!(read(query).unwrap(), people);
        }
        let channel = TypingDestination::Channel(ChannelId(7), "x".to_owned());
        for query in [
            "type=stream&stream_id=7&topic=x",
            "type=channel&stream_id=7&topic=x",
            "type=stream&to=[7]&topic=x",
        ] {
            assert_eq!(read(query).unwrap(), channel);
        }
    }

    #[test]
    fn what_is_missing_or_wrong_is_named() {
        let code = |query: &str| read(query).unwrap_err().code();
        for query in ["", "type=stream&stream_id=7", "type=stream&topic=x"] {
            assert_eq!(code(query), Code::RequestVariableMissing, "{query}");
        }
        for query in [
            "to=9",
            "to=a@b",
            "to=[%22a@b%22]",
            "type=huddle&to=[9]",
            "to=[1.5]",
        ] {
            assert_eq!(code(query), Code::BadRequest, "{query}");
        }
    }
}
