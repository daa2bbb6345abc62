//! POST /register (spec: POST /register; protocol-facts 4.1).

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::IgnoredAny;
use spindle_actions::{IncludeSubscribers, RegisterInput, register};
use spindle_domain::limits::MOBILE_IDLE_QUEUE_TIMEOUT_SECS;
use spindle_guest::{Call, Failure, Guard, Operation, Reply};
use spindle_wire::{ApiError, Params, RawFields};

pub(crate) const OPERATION: Operation =
    Operation::post("register", "/api/v1/register", Guard::OptionalAuth, run);

/// Words of `include_subscribers`: raw text, not JSON.
const INCLUDE_SUBSCRIBERS: &[(&str, IncludeSubscribers)] = &[
    ("true", IncludeSubscribers::All),
    ("false", IncludeSubscribers::No),
    ("partial", IncludeSubscribers::Partial),
];

/// `idle_queue_timeout`: seconds, or the JSON string `"mobile"`.
#[derive(Deserialize)]
#[serde(untagged, expecting = "expected an integer or \"mobile\"")]
enum IdleTimeout {
    Seconds(i64),
    Word(IdleTimeoutWord),
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum IdleTimeoutWord {
    Mobile,
}

/// One condition on messages: a pair of strings, or the object form of the same.
#[derive(Deserialize)]
#[serde(untagged, expecting = "expected a pair of strings")]
enum Term {
    Pair(String, String),
    Object { operator: String, operand: String },
}

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let input = parameters(&call.params, call.external_url())?;
    let registered = register(call.db()?, call.optional_actor(), call.now(), &input)?;
    Ok(spindle_wire::Reply::raw(RawFields(registered.fields)).into())
}

fn parameters(params: &Params<'_>, external_url: String) -> Result<RegisterInput, ApiError> {
    let days: Option<i64> = params.optional("presence_history_limit_days")?;
    if days.is_some_and(|days| days < 0) {
        return Err(negative("presence_history_limit_days"));
    }
    // A structure could be read from a list as well; capabilities are an object.
    params.optional::<BTreeMap<String, IgnoredAny>>("client_capabilities")?;
    Ok(RegisterInput {
        all_public_streams: params.optional("all_public_streams")?.unwrap_or(false),
        apply_markdown: params.optional("apply_markdown")?.unwrap_or(false),
        client_capabilities: params.optional("client_capabilities")?.unwrap_or_default(),
        client_gravatar: params
            .optional::<Option<bool>>("client_gravatar")?
            .flatten(),
        event_types: params.optional("event_types")?,
        fetch_event_types: params.optional("fetch_event_types")?,
        idle_queue_timeout_secs: idle_timeout(params)?,
        include_subscribers: params
            .optional_enum("include_subscribers", INCLUDE_SUBSCRIBERS)?
            .unwrap_or_default(),
        narrow: narrow(params)?,
        presence_history_limit_days: days,
        slim_presence: params.optional("slim_presence")?.unwrap_or(false),
        external_url,
    })
}

/// Seconds, 0 for the default. `queue_lifespan_secs` is an older name of the same.
fn idle_timeout(params: &Params<'_>) -> Result<i64, ApiError> {
    let older: Option<i64> = params.optional("queue_lifespan_secs")?;
    let newer: Option<IdleTimeout> = params.optional("idle_queue_timeout")?;
    let (name, seconds) = match newer {
        Some(IdleTimeout::Word(IdleTimeoutWord::Mobile)) => {
            return Ok(MOBILE_IDLE_QUEUE_TIMEOUT_SECS);
        }
        Some(IdleTimeout::Seconds(seconds)) => ("idle_queue_timeout", seconds),
        None => ("queue_lifespan_secs", older.unwrap_or(0)),
    };
    if seconds < 0 {
        return Err(negative(name));
    }
    Ok(seconds)
}

fn narrow(params: &Params<'_>) -> Result<Vec<(String, String)>, ApiError> {
    let terms: Vec<Term> = params.optional("narrow")?.unwrap_or_default();
    let pair = |term| match term {
        Term::Pair(operator, operand) | Term::Object { operator, operand } => (operator, operand),
    };
    Ok(terms.into_iter().map(pair).collect())
}

fn negative(name: &str) -> ApiError {
    ApiError::bad_parameter(name, "must not be negative")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(query: &str) -> Result<RegisterInput, ApiError> {
        let query = query
            .replace('"', "%22")
            .replace('{', "%7B")
            .replace('}', "%7D");
        let request = http::Request::post(format!("/api/v1/register?{query}"))
            .body(Default::default())
            .unwrap();
        parameters(&Params::from_request(&request).unwrap(), String::new())
    }

    #[test]
    fn defaults_are_those_of_the_specification() {
        let input = read("").unwrap();
        assert!(!input.apply_markdown && !input.slim_presence && !input.all_public_streams);
        assert_eq!(input.client_gravatar, None);
        assert_eq!(input.event_types, None);
        assert_eq!(input.fetch_event_types, None);
        assert_eq!(input.include_subscribers, IncludeSubscribers::No);
        assert_eq!(input.idle_queue_timeout_secs, 0);
    }

    #[test]
    fn the_idle_timeout_is_an_integer_or_the_quoted_word() {
        let seconds = |query: &str| read(query).map(|input| input.idle_queue_timeout_secs).ok();
        assert_eq!(seconds("idle_queue_timeout=%22mobile%22"), Some(43_200));
        assert_eq!(seconds("idle_queue_timeout=60"), Some(60));
        assert_eq!(seconds("queue_lifespan_secs=70"), Some(70));
        assert_eq!(
            seconds("idle_queue_timeout=60&queue_lifespan_secs=70"),
            Some(60)
        );
        for wrong in ["mobile", "-1", "1.5", "%22desktop%22", "true", ""] {
            assert_eq!(
                seconds(&format!("idle_queue_timeout={wrong}")),
                None,
                "{wrong}"
            );
        }
    }

    #[test]
    fn words_are_raw_and_null_is_the_default() {
        let subscribers = |word: &str| read(&format!("include_subscribers={word}"));
        assert_eq!(
            subscribers("partial").unwrap().include_subscribers,
            IncludeSubscribers::Partial
        );
        assert!(subscribers("%22partial%22").is_err());
        assert_eq!(read("client_gravatar=null").unwrap().client_gravatar, None);
        assert_eq!(
            read("client_gravatar=false").unwrap().client_gravatar,
            Some(false)
        );
    }

    #[test]
    fn narrows_are_pairs_or_objects_and_unknown_capabilities_are_tolerated() {
        let narrow = |text: &str| read(&format!("narrow={text}")).map(|input| input.narrow);
        let expected = vec![("stream".to_owned(), "x".to_owned())];
        assert_eq!(narrow(r#"[["stream","x"]]"#).unwrap(), expected);
        let object = r#"[{"operator":"stream","operand":"x"}]"#;
        assert_eq!(narrow(object).unwrap(), expected);
        assert!(narrow(r#"[["stream"]]"#).is_err());
        assert!(narrow("{}").is_err());
        let known = r#"client_capabilities={"empty_topic_name":true,"from_the_future":true}"#;
        assert!(read(known).unwrap().client_capabilities.empty_topic_name);
    }
}
