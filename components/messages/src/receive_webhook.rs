//! POST /external/{integration}: an incoming webhook (docs/protocol/errors.md#statuses,
//! docs/protocol/errors.md#codes).
//!
//! The key is in the URL, since such programs cannot send another header; it is valid only for this
//! operation. The integration interprets the call.

use serde_json::Value;
use spindle_actions::ActionError;
use spindle_actions::bots::{
    IncomingCall, Integration, Received, Refusal, authenticate_webhook, integration, receive,
};
use spindle_domain::errors::ClientError;
use spindle_guest::{Call, Failure, Guard, Operation, Reply};
use spindle_wire::{ApiError, Params, recipient};

pub(crate) const OPERATION: Operation = Operation::post(
    "receive-webhook",
    "/api/v1/external/{integration}",
    Guard::Anonymous,
    run,
);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let params = &call.params;
    let name = call.path_text("integration")?;
    let integration = integration(name).ok_or_else(ApiError::no_such_route)?;
    let key = params.required_text("api_key")?;
    let actor = authenticate_webhook(call.db()?, key).map_err(refusal)?;
    call.count_for(&actor);
    let filter = Filter {
        only: params.optional("only_events")?.unwrap_or_default(),
        exclude: params.optional("exclude_events")?.unwrap_or_default(),
    };
    let topic = params
        .optional_text("topic")
        .map(|topic| topic.trim().to_owned());
    let channel = params
        .optional_text("stream")
        .map(recipient::parse_channel)
        .transpose()?;
    let event = event(call, integration)?;
    let payload = payload(call, params)?;
    let read = integration.read(&IncomingCall {
        event,
        payload: &payload,
        option: &|name| params.optional_text(name).map(str::to_owned),
    });
    let incoming = read.map_err(|refusal| match refusal {
        Refusal::UnknownEvent => ClientError::UnsupportedWebhookEventType {
            integration: integration.display_name().to_owned(),
        },
        Refusal::Payload(problem) => ClientError::AnomalousWebhookPayload {
            problem: problem.to_owned(),
        },
    })?;
    if let Some(incoming) = incoming.filter(|_| filter.wants(event)) {
        let received = Received {
            incoming,
            channel,
            topic,
            client: format!("{name}Webhook"),
            realm_url: call.site().to_owned(),
        };
        receive(call.db()?, &actor, call.now(), received)?;
    }
    Ok(spindle_wire::Reply::empty().into())
}

/// A wrong key has another error code when the key is a parameter.
fn refusal(error: ActionError) -> Failure {
    match error {
        ActionError::WrongCredentials => ClientError::InvalidApiKey.into(),
        other => other.into(),
    }
}

/// The event type of a call; empty for integrations without event types.
fn event<'a>(call: &'a Call<'_>, integration: &Integration) -> Result<&'a str, ApiError> {
    let Some(header) = integration.event_header() else {
        return Ok("");
    };
    call.header(header).ok_or_else(|| {
        ClientError::MissingHttpEventHeader {
            header: header.to_owned(),
        }
        .into()
    })
}

/// The JSON of the call: a field of a form, or the body.
fn payload(call: &Call<'_>, params: &Params<'_>) -> Result<Value, ApiError> {
    let problem = || {
        let problem = "the payload is no JSON".to_owned();
        ApiError::from(ClientError::AnomalousWebhookPayload { problem })
    };
    match params.optional_text("payload") {
        Some(text) => serde_json::from_str(text).map_err(|_| problem()),
        None => serde_json::from_slice(call.body()).map_err(|_| problem()),
    }
}

/// The event types that the URL selects.
struct Filter {
    only: Vec<String>,
    exclude: Vec<String>,
}

impl Filter {
    fn wants(&self, event: &str) -> bool {
        let fits = |patterns: &[String]| patterns.iter().any(|one| matches(one, event));
        event.is_empty() || ((self.only.is_empty() || fits(&self.only)) && !fits(&self.exclude))
    }
}

/// Whether a pattern, in which `*` stands for any text, matches the whole text.
fn matches(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| text.strip_prefix(first)) else {
        return false;
    };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else {
        return rest.is_empty();
    };
    for part in middle {
        match rest.split_once(part) {
            Some((_, behind)) => rest = behind,
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_choose_events() {
        for (pattern, text, expected) in [
            ("push", "push", true),
            ("push", "pushed", false),
            ("*", "push", true),
            ("pull*", "pull_request", true),
            ("*request", "pull_request", true),
            ("p*l*q*t", "pull_request", true),
            ("p*x*t", "pull_request", false),
            ("ab*ba", "aba", false),
        ] {
            assert_eq!(matches(pattern, text), expected, "{pattern} {text}");
        }
        let filter = |only: &[&str], exclude: &[&str]| {
            let list = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
            let filter = Filter {
                only: list(only),
                exclude: list(exclude),
            };
            filter.wants("push")
        };
        assert!(filter(&[], &[]) && filter(&["p*"], &["issues"]));
        assert!(!filter(&["issues"], &[]) && !filter(&[], &["*"]));
    }
}
