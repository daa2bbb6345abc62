//! The serialized form of one event, without its id.
//!
//! The id is the only part that differs between queues of the same form, so the rest is
//! serialized once and shared.

/// The JSON text of an event object after its `id` member.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Payload {
    tail: String,
}

impl Payload {
    /// From the text of a JSON object without `id` and `type`.
    pub(crate) fn splice(event_type: &str, object: &str) -> Self {
        let members = object.trim().strip_prefix('{').map_or("}", str::trim_start);
        let comma = if members.starts_with('}') { "" } else { "," };
        // Wire types are plain identifiers and need no escaping.
        Self {
            tail: format!(r#""type":"{event_type}"{comma}{members}"#),
        }
    }

    /// The event that keeps a waiting poll alive. It goes to every queue, whatever its types.
    #[must_use]
    pub fn heartbeat() -> Self {
        Self::splice("heartbeat", "{}")
    }

    /// The text after `{"id":N,`, including the closing brace.
    #[must_use]
    pub fn tail(&self) -> &str {
        &self.tail
    }

    /// As [`Payload::tail`], without a copy.
    #[must_use]
    pub fn into_tail(self) -> String {
        self.tail
    }

    /// The whole event object.
    #[must_use]
    pub fn with_id(&self, id: i64) -> String {
        format!(r#"{{"id":{id},{}"#, self.tail)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splicing() {
        assert_eq!(
            Payload::splice("a", r#"{"b":1}"#).with_id(3),
            r#"{"id":3,"type":"a","b":1}"#
        );
        assert_eq!(
            Payload::heartbeat().with_id(0),
            r#"{"id":0,"type":"heartbeat"}"#
        );
    }
}
