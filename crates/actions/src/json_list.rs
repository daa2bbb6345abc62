//! A JSON list as text, written one object after the other.
//!
//! Owns brackets and commas. It holds no tree of values, since a list may be long.

use std::io;

use crate::ActionError;

/// A list that is being written.
#[derive(Debug, Default)]
pub(crate) struct JsonList(Vec<u8>);

impl JsonList {
    /// An empty list that does not move in memory until it exceeds `bytes`.
    pub(crate) fn with_capacity(bytes: usize) -> Self {
        Self(Vec::with_capacity(bytes))
    }

    /// Adds an object that `write` writes.
    pub(crate) fn push_with(
        &mut self,
        write: impl FnOnce(&mut Vec<u8>) -> Result<(), ActionError>,
    ) -> Result<(), ActionError> {
        self.0.push(if self.0.is_empty() { b'[' } else { b',' });
        write(&mut self.0)
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

/// Counts bytes instead of keeping them.
#[derive(Debug, Default)]
pub(crate) struct ByteCount(pub(crate) usize);

impl io::Write for ByteCount {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
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
        for object in [r#"{"a":"ä"}"#, "7"] {
            let write = |out: &mut Vec<u8>| {
                out.extend_from_slice(object.as_bytes());
                Ok(())
            };
            list.push_with(write).unwrap();
        }
        assert_eq!(list.len(), 13);
        assert_eq!(list.end().unwrap(), r#"[{"a":"ä"},7]"#);
    }
}
