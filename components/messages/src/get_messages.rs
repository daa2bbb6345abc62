//! GET /messages: messages around an anchor, or by id (docs/protocol/messages.md#get_messages).

use spindle_actions::messages::{MessageForm, Selection, fetch_messages};
use spindle_guest::{Call, Failure, Guard, Operation, Reply};
use spindle_wire::{ApiError, Params, narrow};

use crate::{anchor, empty_topic};

pub(crate) const OPERATION: Operation =
    Operation::get("get-messages", "/api/v1/messages", Guard::User, run);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let params = &call.params;
    let allow_empty_topic_name = params.optional("allow_empty_topic_name")?;
    let form = MessageForm {
        apply_markdown: params.optional("apply_markdown")?.unwrap_or(true),
        client_gravatar: params.optional("client_gravatar")?.unwrap_or(true),
        empty_topic: empty_topic(allow_empty_topic_name.unwrap_or(false)),
    };
    let selection = selection(params)?;
    let found = fetch_messages(call.db()?, call.actor()?, &selection, &form)?;
    let mut reply = spindle_wire::Reply::raw_value("messages", found.messages);
    if let Some(window) = found.window {
        reply = reply
            .field("anchor", &window.anchor)?
            .field("found_anchor", &window.found_anchor)?
            .field("found_oldest", &window.found_oldest)?
            .field("found_newest", &window.found_newest)?;
    }
    let history_limited = found.window.is_some_and(|window| window.history_limited);
    Ok(reply.field("history_limited", &history_limited)?.into())
}

fn selection(params: &Params<'_>) -> Result<Selection, ApiError> {
    let anchor = anchor::read(params)?;
    let include_anchor = params.optional("include_anchor")?.unwrap_or(true);
    let num_before = params.optional("num_before")?.unwrap_or(0);
    let num_after = params.optional("num_after")?.unwrap_or(0);
    let narrow = params
        .optional_text("narrow")
        .map_or(Ok(Vec::new()), narrow::parse)?;
    let ids = params.optional("message_ids")?;
    match (anchor, ids) {
        (Some(_), Some(_)) => Err(ApiError::bad_request(
            "Send either anchor or message_ids, not both",
        )),
        (None, Some(ids)) => Ok(Selection::Ids { ids, narrow }),
        (Some(anchor), None) => Ok(Selection::Around {
            anchor,
            include_anchor,
            num_before,
            num_after,
            narrow,
        }),
        (None, None) => Err(ApiError::variable_missing("anchor")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use spindle_actions::messages::Anchor;
    use spindle_domain::MessageId;
    use spindle_wire::Code;

    fn read(query: &str) -> Result<Selection, ApiError> {
        let request = http::Request::get(format!("/api/v1/messages?{query}"))
            .body(Default::default())
            .unwrap();
        selection(&Params::from_request(&request).unwrap())
    }

    #[test]
    fn numbers_default_to_none_and_the_anchor_is_included() {
        let expected = Selection::Around {
            anchor: Anchor::Newest,
            include_anchor: true,
            num_before: 10,
            num_after: 0,
            narrow: Vec::new(),
        };
        assert_eq!(read("anchor=newest&num_before=10"), Ok(expected));
        let ids = Selection::Ids {
            ids: vec![MessageId(3), MessageId(1)],
            narrow: Vec::new(),
        };
        assert_eq!(read("message_ids=[3,1]"), Ok(ids));
    }

    #[test]
    fn an_anchor_or_ids_but_not_both() {
        assert_eq!(
            read("num_before=1").unwrap_err().code(),
            Code::RequestVariableMissing
        );
        let both = read("anchor=1&message_ids=[1]").unwrap_err();
        assert_eq!(both.code(), Code::BadRequest);
        assert_eq!(
            read("anchor=1&num_before=x").unwrap_err().code(),
            Code::BadRequest
        );
        let narrow = read("anchor=1&narrow=[[%22nonsense%22,%22x%22]]").unwrap_err();
        assert_eq!(narrow.code(), Code::BadNarrow);
    }
}
