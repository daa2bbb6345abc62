//! Reads narrows: the parameter `narrow` of messages and of register.
//!
//! Turns the two text forms (objects, and the legacy pairs) into the types of the domain
//! crate. Nothing is looked up: an unknown channel or person is found by the evaluator.

mod operand;

use crate::params::json;
use crate::{ApiError, ClientError};
use serde_json::Value;
use spindle_domain::narrow::{MessageState, NarrowFilter, NarrowTerm, UserReference};

/// Most terms of one narrow; each costs a join when it is evaluated.
pub const MAX_TERMS: usize = 50;

/// Reads a narrow of the full language (docs/protocol/narrow.md#operators).
///
/// # Errors 400 BAD_REQUEST for a wrong shape, with the path in the value; BAD_NARROW with `desc`
/// for an unknown operator, an impossible operand, or terms that exclude each other.
pub fn parse(text: &str) -> Result<Vec<NarrowTerm>, ApiError> {
    let terms = parse_terms(text)?;
    if spindle_domain::narrow::contradicts_itself(&terms) {
        let desc = "no message is in a channel and a direct conversation at once".to_owned();
        return Err(ClientError::BadNarrow { desc }.into());
    }
    Ok(terms)
}

/// Reads the narrow of an event queue: a subset of the language that can be decided from
/// one message alone (docs/protocol/events.md#delivery).
///
/// # Errors
/// As [`parse`]; 400 for a term outside the subset.
pub fn parse_for_events(text: &str) -> Result<Vec<NarrowTerm>, ApiError> {
    let terms = parse_terms(text)?;
    for (index, term) in terms.iter().enumerate() {
        let supported = match &term.filter {
            NarrowFilter::Channel(_) | NarrowFilter::Topic(_) => true,
            NarrowFilter::Sender(UserReference::Email(_)) => true,
            NarrowFilter::Is(state) => {
                !matches!(state, MessageState::Followed | MessageState::Muted)
            }
            _ => false,
        };
        if !supported || term.negated {
            let path = format!("narrow[{index}]");
            return Err(ApiError::bad_parameter(
                &path,
                "not supported for event queues",
            ));
        }
    }
    Ok(terms)
}

fn parse_terms(text: &str) -> Result<Vec<NarrowTerm>, ApiError> {
    let list: Vec<Value> = json::parse("narrow", text)?;
    if list.len() > MAX_TERMS {
        let problem = format!("at most {MAX_TERMS} terms are allowed");
        return Err(ApiError::bad_parameter("narrow", problem));
    }
    list.iter()
        .enumerate()
        .map(|(index, term)| parse_term(&format!("narrow[{index}]"), term))
        .collect()
}

fn parse_term(path: &str, term: &Value) -> Result<NarrowTerm, ApiError> {
    let (operator, operand, negated) = match term {
        Value::Array(pair) => {
            let [Value::String(operator), operand @ Value::String(_)] = pair.as_slice() else {
                return Err(ApiError::bad_parameter(path, "expected a pair of strings"));
            };
            (operator.as_str(), operand, false)
        }
        Value::Object(fields) => {
            let Some(Value::String(operator)) = fields.get("operator") else {
                let path = format!(r#"{path}["operator"]"#);
                return Err(ApiError::bad_parameter(&path, "expected a string"));
            };
            let Some(operand) = fields.get("operand") else {
                let path = format!(r#"{path}["operand"]"#);
                return Err(ApiError::bad_parameter(&path, "expected a value"));
            };
            let negated = match fields.get("negated") {
                None => false,
                Some(Value::Bool(negated)) => *negated,
                Some(_) => {
                    let path = format!(r#"{path}["negated"]"#);
                    return Err(ApiError::bad_parameter(&path, "expected a boolean"));
                }
            };
            (operator.as_str(), operand, negated)
        }
        _ => {
            return Err(ApiError::bad_parameter(
                path,
                "expected an object or a pair",
            ));
        }
    };
    let filter = operand::parse_filter(path, operator, operand)?;
    Ok(NarrowTerm { filter, negated })
}

#[cfg(test)]
mod tests;
