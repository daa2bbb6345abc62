//! Parameters that are JSON text: bounded, strictly typed, and with errors that say where.
//!
//! Depth and list length are checked by one pass over the text before anything is built,
//! so that a hostile value costs no more than reading it.

use crate::ApiError;
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_path_to_error::{Path, Segment};
pub use spindle_domain::limits::{MAX_ELEMENTS, MAX_JSON_DEPTH as MAX_DEPTH};
use std::fmt::Write;

/// Longest explanation of why a value is invalid; it may quote the value.
const MAX_PROBLEM_LENGTH: usize = 200;

/// Reads the JSON text of parameter `name` as a `T`. Numbers are strict: `5.0` and `"5"`
/// are no integers.
///
/// # Errors 400 with the path in the value, such as `narrow[0]["operator"]`.
pub fn parse<T: DeserializeOwned>(name: &str, text: &str) -> Result<T, ApiError> {
    check_bounds(text).map_err(|problem| ApiError::bad_parameter(name, problem))?;
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let value = serde_path_to_error::deserialize(&mut deserializer).map_err(|error| {
        let path = describe(name, error.path());
        ApiError::bad_parameter(&path, problem(error.inner()))
    })?;
    deserializer
        .end()
        .map_err(|error| ApiError::bad_parameter(name, problem(&error)))?;
    Ok(value)
}

/// Reads the JSON text of parameter `name` as any value.
///
/// # Errors
/// As [`parse`].
pub fn parse_value(name: &str, text: &str) -> Result<Value, ApiError> {
    parse(name, text)
}

fn describe(name: &str, path: &Path) -> String {
    let mut text = name.to_owned();
    for segment in path.iter() {
        // Writing to a String cannot fail.
        let _ = match segment {
            Segment::Seq { index } => write!(text, "[{index}]"),
            Segment::Map { key } => write!(text, "[{}]", Value::from(key.as_str())),
            Segment::Enum { .. } | Segment::Unknown => Ok(()),
        };
    }
    text
}

fn problem(error: &serde_json::Error) -> String {
    if !error.is_data() {
        return "expected JSON".to_owned();
    }
    let text = error.to_string();
    // A line and column within one parameter are of no use to clients.
    let text = text
        .rsplit_once(" at line ")
        .map_or(text.as_str(), |(head, _)| head);
    spindle_domain::text::first_chars(text, MAX_PROBLEM_LENGTH).to_owned()
}

/// One pass over the text: depth, number of elements, and no NUL, not even an escaped one. The
/// parser finds all other errors.
fn check_bounds(text: &str) -> Result<(), &'static str> {
    let mut counts: Vec<usize> = Vec::new();
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        match byte {
            b'[' | b'{' => {
                if counts.len() >= MAX_DEPTH {
                    return Err("nested too deeply");
                }
                counts.push(1);
            }
            b']' | b'}' => {
                counts.pop();
            }
            b',' => {
                if let Some(count) = counts.last_mut() {
                    *count = count.saturating_add(1);
                    if *count > MAX_ELEMENTS {
                        return Err("at most 10000 elements are allowed");
                    }
                }
            }
            b'"' => skip_string(&mut bytes)?,
            _ => {}
        }
    }
    Ok(())
}

fn skip_string(bytes: &mut std::str::Bytes<'_>) -> Result<(), &'static str> {
    while let Some(byte) = bytes.next() {
        match byte {
            b'"' => break,
            b'\\' if bytes.next() == Some(b'u') => {
                let is_nul = bytes.clone().take(4).eq(*b"0000");
                if is_nul {
                    return Err("NUL characters are not allowed");
                }
            }
            _ => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn message<T: DeserializeOwned>(text: &str) -> String {
        match parse::<T>("x", text) {
            Ok(_) => "accepted".to_owned(),
            Err(error) => error.msg().to_owned(),
        }
    }

    #[test]
    fn types_are_strict() {
        assert_eq!(parse::<i64>("x", " 5 ").unwrap(), 5);
        assert!(parse::<bool>("x", "true").unwrap());
        assert_eq!(parse::<Option<String>>("x", "null").unwrap(), None);
        for wrong in [
            "5.0",
            "\"5\"",
            "true",
            "",
            "5 6",
            "[5]",
            "0x5",
            "99999999999999999999",
        ] {
            assert!(parse::<i64>("x", wrong).is_err(), "{wrong}");
        }
        for wrong in ["True", "1", "yes", "\"true\""] {
            assert!(parse::<bool>("x", wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn an_error_names_the_place() {
        assert!(message::<Vec<i64>>("[1,\"2\"]").starts_with("Parameter x[1]: invalid type"));
        let nested = message::<Vec<BTreeMap<String, i64>>>(r#"[{"a":1,"b c":true}]"#);
        assert!(nested.starts_with(r#"Parameter x[0]["b c"]: "#), "{nested}");
        assert_eq!(message::<Vec<i64>>("[1"), "Parameter x: expected JSON");
        assert!(!message::<i64>("\"5\"").contains("line"));
        assert!(message::<i64>(&format!("\"{}\"", "y".repeat(5000))).len() < 300);
    }

    #[test]
    fn depth_and_length_are_bounded() {
        let nest = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        assert!(parse_value("x", &nest(MAX_DEPTH)).is_ok());
        assert!(message::<Value>(&nest(MAX_DEPTH + 1)).contains("deep"));
        let list = |count: usize| format!("[{}]", vec!["1"; count].join(","));
        assert!(parse_value("x", &list(MAX_ELEMENTS)).is_ok());
        assert!(message::<Value>(&list(MAX_ELEMENTS + 1)).contains("10000"));
    }

    #[test]
    fn brackets_inside_strings_do_not_count_and_nul_is_refused() {
        let text = format!("[\"{}\\\"{}\"]", "[".repeat(100), ",".repeat(MAX_ELEMENTS));
        assert!(parse_value("x", &text).is_ok());
        assert!(message::<Value>(r#"["a\u0000b"]"#).contains("NUL"));
        assert!(parse_value("x", r#"["a\\u0000b"]"#).is_ok());
        assert!(parse_value("x", "\"a\\").is_err());
    }
}
