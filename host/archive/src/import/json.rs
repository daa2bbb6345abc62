//! JSON of archives of chats: lines, and the fields of values.
//!
//! Exports of different years and programs differ, and one odd field is no reason to refuse an archive: a value of another
//! type counts as missing.

use std::borrow::Cow;
use std::io::{BufRead as _, BufReader, Read};

use anyhow::{Result, bail};
use serde_json::Value;
use spindle_domain::limits::MAX_TIME;

/// Hands every line of at most `most` bytes that is not empty, with its number counted from 1, to `each`.
pub(super) fn each_line(
    content: &mut dyn Read,
    most: u64,
    mut each: impl FnMut(u64, &[u8]) -> Result<()>,
) -> Result<()> {
    let mut reader = BufReader::with_capacity(1 << 16, content);
    let (mut line, mut number) = (Vec::new(), 0);
    loop {
        line.clear();
        number += 1;
        let read = (&mut reader)
            .take(most.saturating_add(1))
            .read_until(b'\n', &mut line)?;
        if read == 0 {
            return Ok(());
        }
        if read as u64 > most {
            bail!("line {number} is larger than {most} bytes");
        }
        if !line.trim_ascii().is_empty() {
            each(number, &line)?;
        }
    }
}

/// A field that is a text, a number or a truth value, as text; empty without one.
pub(super) fn scalar<'v>(value: &'v Value, name: &str) -> Cow<'v, str> {
    match value.get(name) {
        Some(Value::String(text)) => Cow::Borrowed(text),
        Some(other @ (Value::Number(_) | Value::Bool(_))) => Cow::Owned(other.to_string()),
        _ => Cow::Borrowed(""),
    }
}

/// Text of a field, or nothing.
pub(super) fn text<'v>(value: &'v Value, name: &str) -> &'v str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// Text of a field that is not empty.
pub(super) fn filled<'v>(value: &'v Value, name: &str) -> Option<&'v str> {
    Some(text(value, name)).filter(|text| !text.trim().is_empty())
}

/// Whether a field says true.
pub(super) fn flag(value: &Value, name: &str) -> bool {
    value.get(name).and_then(Value::as_bool).unwrap_or(false)
}

/// Elements of a field that is a list.
pub(super) fn list<'v>(value: &'v Value, name: &str) -> &'v [Value] {
    let list = value.get(name).and_then(Value::as_array);
    list.map(Vec::as_slice).unwrap_or_default()
}

/// A number of a field that is not negative.
pub(super) fn number(value: &Value, name: &str) -> Option<u64> {
    let value = value.get(name)?;
    match value.as_u64() {
        Some(number) => Some(number),
        // Some write times as text.
        None => value.as_str()?.parse().ok(),
    }
}

/// Seconds of a field that are a time, as the importer takes it.
pub(super) fn seconds(value: &Value, name: &str) -> Option<i64> {
    let seconds = i64::try_from(number(value, name)?).ok()?;
    is_time(seconds).then_some(seconds)
}

/// Whether these UNIX seconds are within the years that the importer takes.
pub(super) const fn is_time(seconds: i64) -> bool {
    seconds >= 0 && seconds <= MAX_TIME
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn lines_come_one_by_one_within_bounds() {
        let mut found = Vec::new();
        each_line(&mut "a\n\n b\r\nc".as_bytes(), 5, |number, line| {
            found.push((number, String::from_utf8_lossy(line).trim().to_owned()));
            Ok(())
        })
        .unwrap();
        let expected =
            [(1, "a"), (3, "b"), (4, "c")].map(|(number, line)| (number, line.to_owned()));
        assert_eq!(found, expected);
        assert!(each_line(&mut "12345\n123456".as_bytes(), 6, |_, _| Ok(())).is_ok());
        let error = each_line(&mut "1234\n123456".as_bytes(), 5, |_, _| Ok(())).unwrap_err();
        assert_eq!(error.to_string(), "line 2 is larger than 5 bytes");
    }

    #[test]
    fn fields_of_another_type_are_not_there() {
        let value = json!({"a": 1, "b": "x", "c": true, "d": [1], "e": " ", "f": "17", "g": -1});
        assert_eq!((text(&value, "a"), text(&value, "b")), ("", "x"));
        assert!(flag(&value, "c") && !flag(&value, "b"));
        assert_eq!((list(&value, "d").len(), list(&value, "a").len()), (1, 0));
        assert_eq!(
            (filled(&value, "e"), filled(&value, "b")),
            (None, Some("x"))
        );
        assert_eq!((number(&value, "f"), number(&value, "g")), (Some(17), None));
        assert_eq!(seconds(&json!({"t": 1_u64 << 60}), "t"), None);
        let scalars = ["a", "b", "c", "d", "x"].map(|name| scalar(&value, name).into_owned());
        assert_eq!(scalars, ["1", "x", "true", "", ""]);
    }
}
