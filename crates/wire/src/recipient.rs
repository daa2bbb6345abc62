//! The parameter `to`, in all forms that clients send.
//!
//! Reads the form only: whether a channel or person exists is decided by the action.
//! (docs/protocol/conventions.md#parameters, docs/protocol/clients.md#transport.)

use crate::ApiError;
use crate::params::json;
use serde_json::Value;
use spindle_domain::narrow::{ChannelReference, UserReference};
use spindle_domain::{ChannelId, UserId};

/// Reads `to` of a channel message: an id, a name, a JSON string, or a list of one of these.
/// An integer is always an id; a channel whose name is a number is sent as a JSON string.
///
/// # Errors
/// 400 when it is another JSON value, or a list that has not exactly one element.
pub fn parse_channel(to: &str) -> Result<ChannelReference, ApiError> {
    let Ok(value) = json::parse_value("to", to) else {
        return Ok(ChannelReference::Name(to.trim().to_owned()));
    };
    let value = match value {
        Value::Array(list) => {
            let [only] = <[Value; 1]>::try_from(list).map_err(|_| {
                ApiError::bad_parameter("to", "a channel message goes to one channel")
            })?;
            only
        }
        other => other,
    };
    match value {
        Value::String(name) => Ok(ChannelReference::Name(name.trim().to_owned())),
        Value::Number(number) => number
            .as_i64()
            .map(|id| ChannelReference::Id(ChannelId(id)))
            .ok_or_else(|| ApiError::bad_parameter("to", "a channel id is an integer")),
        // A bare word such as `true` or `null` may be the name of a channel.
        Value::Bool(_) | Value::Null => Ok(ChannelReference::Name(to.trim().to_owned())),
        Value::Array(_) | Value::Object(_) => Err(ApiError::bad_parameter(
            "to",
            "expected the id or the name of a channel",
        )),
    }
}

/// Reads `to` of a direct message: a JSON list of user ids or of API emails, one of them
/// alone, or emails joined by commas. Duplicates are kept out, the order is kept.
///
/// # Errors
/// 400 when it is another JSON value, a list that mixes ids and emails, or empty.
pub fn parse_direct(to: &str) -> Result<Vec<UserReference>, ApiError> {
    let list = match json::parse_value("to", to) {
        Ok(Value::Array(list)) => list,
        Ok(value @ (Value::Number(_) | Value::String(_))) => vec![value],
        Ok(_) => return Err(wrong_people()),
        Err(_) => to.split(',').map(Value::from).collect(),
    };
    let mut found = Vec::with_capacity(list.len());
    let mut seen = std::collections::HashSet::with_capacity(list.len());
    for value in list {
        let reference = match value {
            Value::Number(number) => {
                UserReference::Id(UserId(number.as_i64().ok_or_else(wrong_people)?))
            }
            Value::String(email) => match email.trim() {
                "" => continue,
                email => UserReference::Email(email.to_owned()),
            },
            _ => return Err(wrong_people()),
        };
        if seen.insert(reference.clone()) {
            found.push(reference);
        }
    }
    let is_id = |reference: &UserReference| matches!(reference, UserReference::Id(_));
    if found.iter().any(is_id) && !found.iter().all(is_id) {
        return Err(ApiError::bad_parameter(
            "to",
            "either user ids or emails, not both",
        ));
    }
    if found.is_empty() {
        return Err(ApiError::bad_parameter(
            "to",
            "a direct message needs a recipient",
        ));
    }
    Ok(found)
}

fn wrong_people() -> ApiError {
    ApiError::bad_parameter("to", "expected a list of user ids or emails")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(name: &str) -> ChannelReference {
        ChannelReference::Name(name.to_owned())
    }

    fn emails(list: &[&str]) -> Vec<UserReference> {
        list.iter()
            .map(|email| UserReference::Email((*email).to_owned()))
            .collect()
    }

    #[test]
    fn a_channel_is_named_in_five_ways() {
        for (text, expected) in [
            ("general", name("general")),
            (" core team ", name("core team")),
            ("\"5\"", name("5")),
            ("[\"general\"]", name("general")),
            ("5", ChannelReference::Id(ChannelId(5))),
            ("[5]", ChannelReference::Id(ChannelId(5))),
            ("null", name("null")),
            ("", name("")),
        ] {
            assert_eq!(parse_channel(text).unwrap(), expected, "{text}");
        }
        for wrong in ["[1,2]", "[]", "{}", "5.5", "[[1]]"] {
            assert_eq!(parse_channel(wrong).unwrap_err().status(), 400, "{wrong}");
        }
    }

    #[test]
    fn people_are_ids_or_emails() {
        let ids = vec![UserReference::Id(UserId(9)), UserReference::Id(UserId(2))];
        assert_eq!(parse_direct("[9,2,9]").unwrap(), ids);
        assert_eq!(parse_direct("2").unwrap(), &ids[1..]);
        assert_eq!(parse_direct("[\"a@b\"]").unwrap(), emails(&["a@b"]));
        assert_eq!(parse_direct("\"a@b\"").unwrap(), emails(&["a@b"]));
        assert_eq!(parse_direct("a@b, c@d,").unwrap(), emails(&["a@b", "c@d"]));
        for wrong in [
            "",
            " , ",
            "[]",
            "{}",
            "true",
            "[1,\"a@b\"]",
            "[1.5]",
            "[[1]]",
        ] {
            assert_eq!(parse_direct(wrong).unwrap_err().status(), 400, "{wrong}");
        }
    }
}
