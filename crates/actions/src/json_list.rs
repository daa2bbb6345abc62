//! A JSON list as text, written one object after the other.
//!
//! Owns brackets and commas. It must not hold a tree of values: a list may be long.

use crate::ActionError;

/// A list that is being written.
#[derive(Debug, Default)]
pub(crate) struct JsonList(Vec<u8>);

impl JsonList {
    /// Adds an object that was written before.
    pub(crate) fn push_written(&mut self, object: &str) {
        self.0.push(if self.0.is_empty() { b'[' } else { b',' });
        self.0.extend_from_slice(object.as_bytes());
    }

    /// Bytes so far.
    pub(crate) const fn len(&self) -> usize {
        self.0.len()
    }

    /// The whole list.
    ///
    /// # Errors
    /// [`ActionError::Internal`]: JSON is always text.
    pub(crate) fn end(mut self) -> Result<String, ActionError> {
        if self.0.is_empty() {
            self.0.push(b'[');
        }
        self.0.push(b']');
        String::from_utf8(self.0).map_err(|error| ActionError::Internal(error.to_string()))
    }
}

/// Bytes of a text in JSON, without the quotation marks.
pub(crate) fn written_length(text: &str) -> usize {
    let length = |byte: u8| match byte {
        b'"' | b'\\' | b'\n' | b'\r' | b'\t' | 8 | 12 => 2,
        0..32 => 6,
        _ => 1,
    };
    text.bytes().map(length).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_length_of_a_text_is_known_before_it_is_written() {
        for text in [
            "",
            "a\u{e4}\u{1d54a}",
            "\"\\\n\r\t\u{8}\u{c}\u{1}\u{1f}\u{7f}",
        ] {
            let written = serde_json::to_string(text).unwrap();
            assert_eq!(written_length(text), written.len() - 2, "{written}");
        }
    }

    #[test]
    fn a_list_is_written_as_it_grows() {
        let mut list = JsonList::default();
        assert_eq!(JsonList::default().end().unwrap(), "[]");
        list.push_written(r#"{"a":"ä"}"#);
        list.push_written("7");
        assert_eq!(list.len(), 13);
        assert_eq!(list.end().unwrap(), r#"[{"a":"ä"},7]"#);
    }
}
