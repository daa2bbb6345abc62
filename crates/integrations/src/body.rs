//! Bodies of calls as JSON.

use std::cell::Cell;
use std::fmt;

use serde::Deserialize as _;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

/// Most values of a body that are kept: a push of megabytes is read, and its end is left out.
const MOST_VALUES: usize = 50_000;
/// Most bytes of one text of a body that are kept; no message shows more.
const MOST_TEXT: usize = 20_000;

/// The body of a call as JSON: JSON itself, or a form as an object of its fields, whose field `payload` is JSON in turn
/// (as GitHub, Travis and Slack send it). Other text becomes a JSON string. Very large bodies lose their last values.
#[must_use]
pub fn body(content_type: &str, bytes: &[u8]) -> Value {
    if let Some(value) = bounded(bytes) {
        return value;
    }
    if !content_type.starts_with("application/x-www-form-urlencoded") {
        return text(&String::from_utf8_lossy(bytes));
    }
    let fields: Map<String, Value> = form_urlencoded::parse(bytes)
        .take(MOST_VALUES)
        .map(|(name, value)| (name.into_owned(), Value::String(value.into_owned())))
        .collect();
    let payload = fields.get("payload").and_then(Value::as_str);
    match payload.and_then(|text| bounded(text.as_bytes())) {
        Some(payload) => payload,
        None => Value::Object(fields),
    }
}

fn bounded(bytes: &[u8]) -> Option<Value> {
    let left = Cell::new(MOST_VALUES);
    let mut deserializer = serde_json::Deserializer::from_slice(bytes);
    let value = Bounded(&left).deserialize(&mut deserializer).ok()?;
    deserializer.end().ok()?;
    value
}

fn text(text: &str) -> Value {
    let mut end = text.len().min(MOST_TEXT);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    Value::String(text[..end].to_owned())
}

/// Reads a value while some of the number of values is left.
#[derive(Clone, Copy)]
struct Bounded<'a>(&'a Cell<usize>);

impl<'de> DeserializeSeed<'de> for Bounded<'_> {
    type Value = Option<Value>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        let Some(left) = self.0.get().checked_sub(1) else {
            return IgnoredAny::deserialize(deserializer).map(|_| None);
        };
        self.0.set(left);
        deserializer.deserialize_any(self).map(Some)
    }
}

impl<'de> Visitor<'de> for Bounded<'_> {
    type Value = Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(text(value))
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = list.next_element_seed(self)? {
            values.extend(value);
        }
        Ok(values.into())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut fields = Map::new();
        while let Some(name) = map.next_key::<String>()? {
            if let Some(value) = map.next_value_seed(self)? {
                fields.insert(name, value);
            }
        }
        Ok(fields.into())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn forms_are_read_like_json() {
        let form = "application/x-www-form-urlencoded";
        assert_eq!(
            body(form, b"payload=%7B%22a%22%3A1%7D&x=y"),
            json!({"a": 1})
        );
        assert_eq!(body(form, b"a=b+c"), json!({"a": "b c"}));
        assert_eq!(body("", b"text"), Value::String("text".to_owned()));
        let all = json!({"a": [1, -2, 1.5, true, null, "x"], "b": {}});
        assert_eq!(body("", all.to_string().as_bytes()), all);
    }

    #[test]
    fn the_end_of_a_very_large_body_is_left_out() {
        let large = format!("[{}1]", "1,".repeat(MOST_VALUES + 10));
        let read = body("", large.as_bytes());
        assert_eq!(read.as_array().map(Vec::len), Some(MOST_VALUES - 1));
        let long = json!({"a": "\u{e9}".repeat(MOST_TEXT)});
        let read = body("", long.to_string().as_bytes());
        assert_eq!(read["a"].as_str().map(str::len), Some(MOST_TEXT));
    }
}
