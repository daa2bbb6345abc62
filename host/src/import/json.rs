//! JSON of archives of chats, element by element and line by line; at most one of them is
//! in memory.
//!
//! Types of fields are not enforced: exports of different years differ, and one odd field is no reason to
//! refuse an archive. A value of another type counts as missing.

use std::cell::Cell;
use std::fmt;
use std::io::{BufRead as _, BufReader, Read};

use anyhow::{Result, bail};
use serde::de::{DeserializeSeed as _, Deserializer, Error as _, SeqAccess, Visitor};
use serde_json::Value;
use spindle_domain::limits::MAX_TIME;

use super::limited::Limited;

/// Hands every element of a list, of at most `most` bytes, to `each`.
pub(super) fn each_element(
    content: &mut dyn Read,
    most: u64,
    mut each: impl FnMut(Value) -> Result<()>,
) -> Result<()> {
    let (read, mut failed) = (Cell::new(0), None);
    let reader = BufReader::with_capacity(
        1 << 16,
        Limited {
            content,
            read: &read,
            most,
            part: "an element",
        },
    );
    let mut json = serde_json::Deserializer::from_reader(reader);
    let elements = Elements {
        each: &mut each,
        failed: &mut failed,
        read: &read,
    };
    let done = elements.deserialize(&mut json);
    if let Some(error) = failed {
        return Err(error);
    }
    done?;
    json.end()?;
    Ok(())
}

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

struct Elements<'e> {
    each: &'e mut dyn FnMut(Value) -> Result<()>,
    /// Why `each` has failed.
    failed: &'e mut Option<anyhow::Error>,
    read: &'e Cell<u64>,
}

impl<'de> serde::de::DeserializeSeed<'de> for Elements<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        json.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Elements<'_> {
    type Value = ();

    fn expecting(&self, text: &mut fmt::Formatter<'_>) -> fmt::Result {
        text.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<(), A::Error> {
        while let Some(element) = elements.next_element::<Value>()? {
            self.read.set(0);
            if let Err(error) = (self.each)(element) {
                *self.failed = Some(error);
                return Err(A::Error::custom("stopped"));
            }
        }
        Ok(())
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
    fn elements_come_one_by_one_within_bounds() {
        let mut found = Vec::new();
        let mut read = |text: &str| {
            found.clear();
            let done = each_element(&mut text.as_bytes(), 1 << 20, |element| {
                if element == json!("stop") {
                    bail!("stopped by a test");
                }
                found.push(element);
                Ok(())
            });
            done.map(|()| found.len())
                .map_err(|error| error.to_string())
        };
        assert_eq!(read("[1, {\"a\": []}]"), Ok(2));
        assert_eq!(read("[]"), Ok(0));
        assert!(read("{}").unwrap_err().contains("a list"));
        assert!(read("[1").is_err());
        assert!(read("[1] x").is_err());
        assert_eq!(read("[\"stop\"]").unwrap_err(), "stopped by a test");
        let deep = format!("[{}{}]", "[".repeat(10_000), "]".repeat(10_000));
        assert!(read(&deep).unwrap_err().contains("recursion"));
        let large = format!("[\"{}\"]", "x".repeat(1 << 20));
        let error = read(&large).unwrap_err();
        assert!(error.contains("larger than 1048576 bytes"), "{error}");
        // The bound is that of an element, not of the list.
        let many = format!("[{}1]", format!("\"{}\",", "x".repeat(1 << 17)).repeat(20));
        assert_eq!(read(&many), Ok(21));
    }

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
    }
}
