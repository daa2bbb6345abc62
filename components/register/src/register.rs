//! POST /register (docs/protocol/register.md#register, docs/protocol/register.md#parameters).

use std::collections::BTreeMap;

use serde::de::IgnoredAny;
use spindle_actions::channels::IncludeSubscribers;
use spindle_actions::queues::{RegisterInput, register};
use spindle_actions::users::bot_domain;
use spindle_guest::{Call, Failure, Guard, Operation, Reply, Scope};
use spindle_wire::{ApiError, Params, RawFields, queue};

pub(crate) const OPERATION: Operation =
    Operation::post("register", "/api/v1/register", Guard::OptionalAuth, run).needing(Scope::Read);

/// Words of `include_subscribers`: raw text, not JSON.
const INCLUDE_SUBSCRIBERS: &[(&str, IncludeSubscribers)] = &[
    ("true", IncludeSubscribers::All),
    ("false", IncludeSubscribers::No),
    ("partial", IncludeSubscribers::Partial),
];

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let input = RegisterInput {
        external_url: call.external_url(),
        bot_domain: bot_domain(call.site()).to_owned(),
        ..parameters(&call.params)?
    };
    let registered = register(call.db()?, call.optional_actor(), call.now(), &input)?;
    Ok(spindle_wire::Reply::raw(RawFields(registered.fields)).into())
}

fn parameters(params: &Params<'_>) -> Result<RegisterInput, ApiError> {
    let days: Option<i64> = params.optional("presence_history_limit_days")?;
    if days.is_some_and(|days| days < 0) {
        return Err(queue::negative("presence_history_limit_days"));
    }
    // A structure could be read from a list as well; capabilities are an object.
    params.optional::<BTreeMap<String, IgnoredAny>>("client_capabilities")?;
    Ok(RegisterInput {
        all_public_streams: params.optional("all_public_streams")?,
        apply_markdown: params.optional("apply_markdown")?.unwrap_or(false),
        client_capabilities: params.optional("client_capabilities")?.unwrap_or_default(),
        client_gravatar: params
            .optional::<Option<bool>>("client_gravatar")?
            .flatten(),
        event_types: queue::event_types(params, "event_types")?,
        fetch_event_types: queue::event_types(params, "fetch_event_types")?,
        idle_queue_timeout_secs: queue::idle_timeout(params)?,
        include_subscribers: params
            .optional_enum("include_subscribers", INCLUDE_SUBSCRIBERS)?
            .unwrap_or_default(),
        narrow: queue::narrow(params)?,
        presence_history_limit_days: days,
        slim_presence: params.optional("slim_presence")?.unwrap_or(false),
        ..RegisterInput::default()
    })
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
        parameters(&Params::from_request(&request).unwrap())
    }

    #[test]
    fn defaults_are_those_of_the_specification() {
        let input = read("").unwrap();
        assert!(
            !input.apply_markdown && !input.slim_presence && input.all_public_streams.is_none()
        );
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
        let negated = r#"[{"operator":"stream","operand":"x","negated":true}]"#;
        assert!(narrow(negated).is_err());
        assert!(narrow("{}").is_err());
        let known = r#"client_capabilities={"empty_topic_name":true,"from_the_future":true}"#;
        assert!(read(known).unwrap().client_capabilities.empty_topic_name);
    }
}
