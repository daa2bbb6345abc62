//! POST /register: an event queue with the snapshot that it continues (protocol-facts 3, 4).

use serde::Deserialize;
use spindle_actions::{IncludeSubscribers, RegisterInput, register};
use spindle_domain::limits;
use spindle_guest::{Call, Failure, Guard, Operation, Reply};
use spindle_wire::{ApiError, Params, RawFields};

pub(crate) const OPERATION: Operation =
    Operation::post("register", "/api/v1/register", Guard::OptionalAuth, run);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let input = parameters(&call.params, call.external_url())?;
    let registered = register(call.db()?, call.optional_actor(), call.now(), &input)?;
    Ok(spindle_wire::Reply::raw(RawFields(registered.fields)).into())
}

fn parameters(params: &Params<'_>, external_url: String) -> Result<RegisterInput, ApiError> {
    let include = [
        ("false", IncludeSubscribers::No),
        ("true", IncludeSubscribers::All),
        ("partial", IncludeSubscribers::Partial),
    ];
    let client_gravatar = params.optional::<Option<bool>>("client_gravatar")?;
    // Presence is complete however old it is allowed to be: there is none yet that is older.
    let days = params.optional::<i64>("presence_history_limit_days")?;
    if days.is_some_and(|days| days < 0) {
        return Err(ApiError::bad_parameter(
            "presence_history_limit_days",
            "a number of days is not negative",
        ));
    }
    let narrow = params.optional::<Vec<(String, String)>>("narrow")?;
    Ok(RegisterInput {
        apply_markdown: params.optional("apply_markdown")?.unwrap_or(false),
        client_gravatar: client_gravatar.flatten(),
        include_subscribers: params
            .optional_enum("include_subscribers", &include)?
            .unwrap_or_default(),
        slim_presence: params.optional("slim_presence")?.unwrap_or(false),
        event_types: params.optional("event_types")?,
        fetch_event_types: params.optional("fetch_event_types")?,
        all_public_streams: params.optional("all_public_streams")?.unwrap_or(false),
        narrow: narrow.unwrap_or_default(),
        client_capabilities: params.optional("client_capabilities")?.unwrap_or_default(),
        idle_queue_timeout_secs: idle_queue_timeout(params)?,
        external_url,
    })
}

/// An integer of seconds, or the JSON string `"mobile"`; 0 and absent are the default.
#[derive(Deserialize)]
#[serde(untagged)]
enum IdleTimeout {
    Seconds(i64),
    Named(String),
}

fn idle_queue_timeout(params: &Params<'_>) -> Result<i64, ApiError> {
    const NAME: &str = "idle_queue_timeout";
    let refused =
        || ApiError::bad_parameter(NAME, "expected a positive number of seconds or \"mobile\"");
    // The older name counts only where the newer one is absent.
    let older = params.optional::<i64>("queue_lifespan_secs")?;
    match params.optional::<IdleTimeout>(NAME)? {
        Some(IdleTimeout::Named(name)) if name == "mobile" => {
            Ok(limits::MOBILE_IDLE_QUEUE_TIMEOUT_SECS)
        }
        Some(IdleTimeout::Named(_)) => Err(refused()),
        Some(IdleTimeout::Seconds(seconds)) if seconds < 0 => Err(refused()),
        Some(IdleTimeout::Seconds(seconds)) => Ok(seconds),
        None => match older {
            Some(seconds) if seconds < 0 => Err(ApiError::bad_parameter(
                "queue_lifespan_secs",
                "a lifespan is not negative",
            )),
            seconds => Ok(seconds.unwrap_or(0)),
        },
    }
}
