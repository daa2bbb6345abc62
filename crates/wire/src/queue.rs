//! Parameters of event queues that travel in several forms, for the operations that make
//! queues (docs/protocol/register.md#register, docs/protocol/events.md#get_events,
//! docs/protocol/register.md#parameters).
//!
//! Reads them only; `spindle_events` decides which narrows a queue may have.

use serde::Deserialize;
use spindle_domain::limits::{
    MAX_EVENT_TYPES, MAX_QUEUE_NARROW_OPERAND_LENGTH, MAX_QUEUE_NARROW_TERMS,
    MOBILE_IDLE_QUEUE_TIMEOUT_SECS,
};
use spindle_domain::text::is_longer_than;

use crate::{ApiError, Params};

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
    Object {
        operator: String,
        operand: String,
        #[serde(default)]
        negated: bool,
    },
}

/// How long a queue lives without being polled, in seconds; 0 for the default. The parameter
/// `idle_queue_timeout`, or the older `queue_lifespan_secs`.
///
/// # Errors
/// BAD_REQUEST for anything but an integer or the quoted word, and for negative numbers.
pub fn idle_timeout(params: &Params<'_>) -> Result<i64, ApiError> {
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

/// The parameter `narrow` as pairs of operator and operand.
///
/// # Errors
/// BAD_REQUEST when it is no list of such pairs, when there are too many of them or one is too
/// long, and when a condition is negated: queues know only conditions that must hold.
pub fn narrow(params: &Params<'_>) -> Result<Vec<(String, String)>, ApiError> {
    let terms: Vec<Term> = params.optional("narrow")?.unwrap_or_default();
    if terms.len() > MAX_QUEUE_NARROW_TERMS {
        return Err(too_many("narrow", MAX_QUEUE_NARROW_TERMS));
    }
    let pair = |term| match term {
        Term::Object { negated: true, .. } => Err(ApiError::bad_parameter(
            "narrow",
            "must not be negated for a queue",
        )),
        Term::Pair(operator, operand)
        | Term::Object {
            operator, operand, ..
        } => Ok((operator, operand)),
    };
    let terms: Vec<(String, String)> = terms.into_iter().map(pair).collect::<Result<_, _>>()?;
    let limit = MAX_QUEUE_NARROW_OPERAND_LENGTH;
    if terms
        .iter()
        .any(|(_, operand)| is_longer_than(operand, limit))
    {
        let problem = format!("an operand has at most {limit} characters");
        return Err(ApiError::bad_parameter("narrow", problem));
    }
    Ok(terms)
}

/// A parameter that lists types of events.
///
/// # Errors
/// BAD_REQUEST when it is no list of strings, or a list of too many.
pub fn event_types(params: &Params<'_>, name: &str) -> Result<Option<Vec<String>>, ApiError> {
    let types: Option<Vec<String>> = params.optional(name)?;
    match &types {
        Some(types) if types.len() > MAX_EVENT_TYPES => Err(too_many(name, MAX_EVENT_TYPES)),
        _ => Ok(types),
    }
}

fn too_many(name: &str, limit: usize) -> ApiError {
    ApiError::bad_parameter(name, format!("at most {limit} elements are allowed"))
}

/// The error of a number that must not be negative.
#[must_use]
pub fn negative(name: &str) -> ApiError {
    ApiError::bad_parameter(name, "must not be negative")
}
