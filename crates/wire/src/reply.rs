//! Success envelopes, and the headers that every JSON answer carries.
//!
//! Fields are kept as JSON text, because large answers come out of the database as JSON and
//! must not be parsed again on their way. The order is always `result`, `msg`, the fields,
//! then `ignored_parameters_unsupported`.

use crate::{ApiError, Response};
use bytes::Bytes;
use http::header::{CACHE_CONTROL, CONTENT_LENGTH, CONTENT_TYPE, EXPIRES, HeaderValue};
use http::{HeaderMap, StatusCode};
use serde::Serialize;
use serde_json::{Map, Value};
use spindle_domain::limits::ENVELOPE_ROOM;

/// Fields of an object in JSON, without the braces: `"id":5,"messages":[]`. The caller guarantees
/// that it is well-formed; it is meant for JSON from the database.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RawFields(pub String);

/// The answer of an operation that has succeeded (docs/protocol/conventions.md#success).
#[derive(Debug, Clone, PartialEq)]
pub struct Reply {
    /// The body without its closing brace.
    body: String,
    headers: HeaderMap,
}

/// The first fields of every success.
const HEAD: &str = r#"{"result":"success","msg":"""#;
/// The same, before further fields.
const HEAD_OF_FIELDS: &str = r#"{"result":"success","msg":"","#;

/// The envelope with the fields of an object.
pub fn success(fields: Map<String, Value>) -> Reply {
    let mut reply = Reply::empty();
    for (name, value) in &fields {
        push_field(&mut reply.body, name, value);
    }
    reply
}

impl Reply {
    /// The envelope alone.
    pub fn empty() -> Self {
        Self::begun_with(HEAD.to_owned())
    }

    fn begun_with(body: String) -> Self {
        Self {
            body,
            headers: HeaderMap::new(),
        }
    }

    /// The fields of a struct that serializes to an object.
    ///
    /// # Errors
    /// 500 when it does not.
    pub fn of<T: Serialize + ?Sized>(fields: &T) -> Result<Self, ApiError> {
        let mut text = serde_json::to_string(fields).map_err(|_| ApiError::internal())?;
        if !text.starts_with('{') || text.pop() != Some('}') {
            return Err(ApiError::internal());
        }
        text.remove(0);
        Ok(Self::raw(RawFields(text)))
    }

    /// Fields that are JSON already. A large text is not copied, if it has room for the envelope
    /// ([`ENVELOPE_ROOM`]).
    pub fn raw(RawFields(fields): RawFields) -> Self {
        if fields.is_empty() {
            return Self::empty();
        }
        Self::around(HEAD_OF_FIELDS, fields)
    }

    /// One field whose value is JSON already; further ones may follow. A large text is not copied, if it has room for
    /// the envelope ([`ENVELOPE_ROOM`]).
    pub fn raw_value(name: &str, json: String) -> Self {
        let name = Value::from(name).to_string();
        Self::around(&[HEAD_OF_FIELDS, &name, ":"].concat(), json)
    }

    fn around(head: &str, mut json: String) -> Self {
        // Exactly: an instance has no room for a large answer and a copy of twice its size.
        json.reserve_exact(ENVELOPE_ROOM);
        json.insert_str(0, head);
        Self::begun_with(json)
    }

    /// Adds one field.
    ///
    /// # Errors
    /// 500 when the value cannot be written as JSON.
    pub fn field<T: Serialize + ?Sized>(self, name: &str, value: &T) -> Result<Self, ApiError> {
        let json = serde_json::to_string(value).map_err(|_| ApiError::internal())?;
        Ok(self.raw_field(name, &json))
    }

    /// Adds one field whose value is JSON already, and short: it is copied.
    #[must_use]
    pub fn raw_field(mut self, name: &str, json: &str) -> Self {
        push_raw_field(&mut self.body, name, json);
        self
    }

    /// Adds fields that are JSON already.
    #[must_use]
    pub fn and_raw(mut self, RawFields(fields): RawFields) -> Self {
        if !fields.is_empty() {
            self.body.reserve(fields.len().saturating_add(1));
            self.body.push(',');
            self.body.push_str(&fields);
        }
        self
    }

    /// Adds a header.
    #[must_use]
    pub fn header(mut self, name: &'static str, value: HeaderValue) -> Self {
        self.headers.insert(name, value);
        self
    }

    /// The response. `ignored`: names of the parameters that were sent and not read, sorted; left
    /// out of the envelope when there are none.
    pub fn into_response(self, ignored: &[String]) -> Response {
        let mut body = self.body;
        if !ignored.is_empty() {
            push_field(&mut body, "ignored_parameters_unsupported", &ignored.into());
        }
        body.push('}');
        json_response(StatusCode::OK, body, self.headers)
    }
}

/// Appends `,"name":value`.
pub(crate) fn push_field(body: &mut String, name: &str, value: &Value) {
    push_raw_field(body, name, &value.to_string());
}

fn push_raw_field(body: &mut String, name: &str, json: &str) {
    body.push(',');
    body.push_str(&Value::from(name).to_string());
    body.push(':');
    body.push_str(json);
}

/// The value of `Cache-Control` on every answer of the API.
pub const NOT_CACHED: &str = "no-store, no-cache, max-age=0, must-revalidate, private";

/// A JSON response that no cache keeps, with its length.
pub(crate) fn json_response(status: StatusCode, body: String, mut headers: HeaderMap) -> Response {
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static(NOT_CACHED));
    headers.insert(EXPIRES, HeaderValue::from_static("0"));
    headers.insert(CONTENT_LENGTH, HeaderValue::from(body.len()));
    let mut response = Response::new(Bytes::from(body));
    *response.status_mut() = status;
    *response.headers_mut() = headers;
    response
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn text(reply: Reply, ignored: &[String]) -> String {
        String::from_utf8(reply.into_response(ignored).into_body().to_vec()).unwrap()
    }

    #[test]
    fn the_envelope_comes_first_and_ignored_names_last() {
        assert_eq!(
            text(Reply::empty(), &[]),
            r#"{"result":"success","msg":""}"#
        );
        let reply = Reply::of(&json!({"id": 5}))
            .unwrap()
            .raw_field("messages", "[1,2]");
        assert_eq!(
            text(reply, &["a".to_owned(), "b\"".to_owned()]),
            r#"{"result":"success","msg":"","id":5,"messages":[1,2],"ignored_parameters_unsupported":["a","b\""]}"#
        );
    }

    #[test]
    fn raw_fields_may_be_empty() {
        let reply = Reply::raw(RawFields::default()).and_raw(RawFields(r#""x":1"#.to_owned()));
        assert_eq!(text(reply, &[]), r#"{"result":"success","msg":"","x":1}"#);
        let Value::Object(map) = json!({"b": null}) else {
            unreachable!()
        };
        assert_eq!(
            text(success(map), &[]),
            r#"{"result":"success","msg":"","b":null}"#
        );
    }

    #[test]
    fn a_value_with_room_for_the_envelope_is_not_copied() {
        let mut list = String::with_capacity(100_000 + ENVELOPE_ROOM);
        list.push('[');
        list.push_str(&" ".repeat(99_998));
        list.push(']');
        let place = list.as_ptr();
        let reply = Reply::raw_value("list", list).field("count", &0).unwrap();
        let body = reply.into_response(&["a".to_owned()]).into_body();
        assert_eq!(body.as_ptr(), place);
        let value: Value = serde_json::from_slice(&body).unwrap();
        let expected = json!({
            "result": "success", "msg": "", "list": [], "count": 0,
            "ignored_parameters_unsupported": ["a"],
        });
        assert_eq!(value, expected);
    }

    #[test]
    fn only_objects_can_be_the_fields() {
        assert_eq!(Reply::of(&5).unwrap_err(), ApiError::internal());
        assert_eq!(Reply::of(&[1]).unwrap_err(), ApiError::internal());
    }

    #[test]
    fn the_response_has_its_length_and_type() {
        let response = Reply::empty()
            .header("x-test", HeaderValue::from_static("1"))
            .into_response(&[]);
        assert_eq!(response.status(), 200);
        let length = response.body().len().to_string();
        assert_eq!(response.headers()["content-length"], length.as_str());
        assert_eq!(response.headers()["content-type"], "application/json");
        assert_eq!(response.headers()["x-test"], "1");
    }
}
