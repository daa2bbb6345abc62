//! POST /messages (docs/protocol/messages.md#send_message).
//!
//! `queue_id` and `local_id` are used together: the event in the sending client's queue includes the
//! client's own id for the message (local echo).

use spindle_actions::messages::{Destination, MessageInput, default_sending_channel, send_message};
use spindle_domain::ChannelId;
use spindle_domain::narrow::ChannelReference;
use spindle_events::kinds::LocalEcho;
use spindle_guest::{Call, Failure, Guard, Operation, Reply, Scope};
use spindle_wire::{ApiError, Params, recipient};

use crate::kind::{KINDS, RecipientKind};

pub(crate) const OPERATION: Operation = Operation::post(
    "send-message",
    "/api/v1/messages",
    Guard::UserOrWebhook,
    run,
)
.needing(Scope::Send);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let input = parameters(call)?;
    let sent = send_message(call.db()?, call.actor()?, call.now(), &input)?;
    let mut reply = spindle_wire::Reply::empty().field("id", &sent.id)?;
    if let Some(policy) = sent.automatic_new_visibility_policy {
        reply = reply.field("automatic_new_visibility_policy", &policy.get())?;
    }
    Ok(reply.into())
}

fn parameters(call: &Call<'_>) -> Result<MessageInput, Failure> {
    let params = &call.params;
    let content = params.required_text("content")?.to_owned();
    let local = local_echo(params);
    let read_by_sender = params.optional("read_by_sender")?;
    let default = match params.optional_text("to") {
        Some(_) => None,
        None => default_sending_channel(call.db()?, call.actor()?)?,
    };
    Ok(MessageInput {
        destination: destination(params, default)?,
        content,
        client: call.client_name(),
        read_by_sender,
        local,
        delivery: None,
        realm_url: call.site().to_owned(),
    })
}

fn local_echo(params: &Params<'_>) -> Option<LocalEcho> {
    let local_id = params.optional_text("local_id");
    let queue_id = params.optional_text("queue_id");
    Some(LocalEcho {
        queue_id: queue_id?.to_owned(),
        local_id: local_id?.to_owned(),
    })
}

/// `default`: the default channel of a bot that names none.
fn destination(params: &Params<'_>, default: Option<ChannelId>) -> Result<Destination, ApiError> {
    let to = match (params.optional_text("to"), default) {
        (None, None) => return Err(ApiError::variable_missing("to")),
        (to, _) => to,
    };
    let topic = params.aliased_text(&["topic", "subject"])?;
    let kind = params
        .optional_enum("type", KINDS)?
        .ok_or_else(|| ApiError::variable_missing("type"))?;
    Ok(match kind {
        RecipientKind::Channel => Destination::Channel {
            channel: match (to, default) {
                (None, Some(channel_id)) => ChannelReference::Id(channel_id),
                (to, _) => recipient::parse_channel(to.unwrap_or_default())?,
            },
            topic: topic.ok_or_else(ApiError::missing_topic)?.trim().to_owned(),
        },
        RecipientKind::Direct => {
            let to = to.ok_or_else(|| ApiError::variable_missing("to"))?;
            Destination::Direct(recipient::parse_direct(to)?)
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use spindle_wire::{Code, Request};

    fn read(query: &str) -> Result<Destination, ApiError> {
        let request: Request = http::Request::post(format!("/api/v1/messages?{query}"))
            .body(Default::default())
            .unwrap();
        destination(&Params::from_request(&request).unwrap(), None)
    }

    #[test]
    fn both_names_of_each_kind_are_understood() {
        for kind in ["channel", "stream"] {
            let read = read(&format!("type={kind}&to=5&topic=%20x%20")).unwrap();
            let channel = ChannelReference::Id(ChannelId(5));
            let topic = "x".to_owned();
            assert_eq!(read, Destination::Channel { channel, topic });
        }
        for kind in ["direct", "private"] {
            let read = read(&format!("type={kind}&to=a@b,c@d")).unwrap();
            assert!(matches!(read, Destination::Direct(people) if people.len() == 2));
        }
    }

    #[test]
    fn a_bot_that_names_no_channel_means_its_own() {
        let request: Request = http::Request::post("/api/v1/messages?type=stream&topic=x")
            .body(Default::default())
            .unwrap();
        let params = Params::from_request(&request).unwrap();
        let expected = Destination::Channel {
            channel: ChannelReference::Id(ChannelId(7)),
            topic: "x".to_owned(),
        };
        let read = destination(&params, Some(ChannelId(7))).unwrap();
        assert_eq!(read, expected);
    }

    #[test]
    fn what_is_missing_or_wrong_is_named() {
        let code = |query: &str| read(query).unwrap_err().code();
        assert_eq!(code("type=stream&topic=x"), Code::RequestVariableMissing);
        assert_eq!(code("to=x&topic=x"), Code::RequestVariableMissing);
        assert_eq!(code("type=Stream&to=x"), Code::BadRequest);
        assert_eq!(
            code("type=stream&to=x&topic=a&subject=b"),
            Code::RequestConfusingVar
        );
        assert_eq!(code("type=direct&to=[]"), Code::BadRequest);
        assert_eq!(code("type=stream&to=x"), Code::BadRequest);
    }
}
